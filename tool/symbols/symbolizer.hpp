// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "symbol_frame.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace linn::tool {

/// What is known of a module's symbols.
struct module_symbols {
    enum class level : std::uint8_t { none, dynamic_symbols, symbols, lines, full };

    level known = level::none;
    std::string from;    ///< the file that the debug information came from; empty: none
    std::string problem; ///< such as: the file was replaced since the recording (build ids differ)
};

/// Where to look for debug information besides the module itself.
struct symbol_options {
    std::vector<std::string> debug_folders{"/usr/lib/debug"};
    bool use_debuginfod = false; ///< ask the servers in DEBUGINFOD_URLS
};

/// One address of one module, to be named.
struct code_site {
    std::string module;        ///< path
    std::string build_id;      ///< hexadecimal, as recorded; empty: not checked
    std::uint64_t address = 0; ///< inside the call: the return address minus one
};

/// Turns addresses into functions and lines. Not thread-safe.
class symbolizer {
public:
    explicit symbolizer(symbol_options options = {});
    symbolizer(const symbolizer&) = delete;
    symbolizer& operator=(const symbolizer&) = delete;
    ~symbolizer();

    /// The frames at an address, innermost first; one without a name at least. Cached.
    const std::vector<symbol_frame>& frames(const code_site& site);

    /// What is known of a module.
    module_symbols about(const std::string& module, const std::string& build_id);

private:
    friend class type_namer;
    class state;
    std::unique_ptr<state> state_;
};

} // namespace linn::tool
