// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cxx_name.hpp"
#include "debug_file.hpp"
#include "debug_info.hpp"
#include "elf_file.hpp"
#include "symbolizer.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace linn::tool {

/// A frame as the symbolizer shows it, with what the type namer asks further about.
struct known_frame {
    std::string name;              ///< as the compiler spells it, without parameters; empty: not known
    std::vector<name_part> scopes; ///< of the name
    Dwarf_Die die{};
    bool has_die = false;
};

/// All that is known of one address. `shown` and `known` have the same length, at least 1.
struct known_address {
    std::vector<symbol_frame> shown;
    std::vector<known_frame> known;
};

/// One module: its file, its debug information wherever it lies, its symbols.
class code_module {
public:
    code_module(const std::string& path, const std::string& build_id, const symbol_options& options);

    const module_symbols& about() const noexcept { return about_; }
    const known_address& at(std::uint64_t address);
    debug_info* debug() noexcept { return debug_.get(); }

    /// The symbol whose function holds the address; null: none.
    const elf_symbol* symbol_at(std::uint64_t address) const;

    /// The code at an address; may be shorter than asked for.
    std::span<const unsigned char> code(std::uint64_t address, std::size_t bytes) const;

private:
    void open(const std::string& path, const std::string& build_id, const symbol_options& options);

    // The order matters: the debug information reads from the files.
    std::unique_ptr<elf_file> file_;
    std::unique_ptr<debug_file> debug_file_;
    std::unique_ptr<debug_info> debug_;
    std::vector<elf_symbol> symbols_;
    module_symbols about_;
    std::unordered_map<std::uint64_t, known_address> addresses_;
};

} // namespace linn::tool
