// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../trace/decode.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace linn::tool::live {

/// A return address, as the file of its module knows it.
struct place_frame {
    std::string module; ///< path; empty: not known, and `address` is that in memory
    std::string build_id;
    std::uint64_t address = 0;
    bool operator==(const place_frame&) const = default;
};

/// What a process image says of its own code while it runs: modules and stacks, as its chunks tell them, in any order and more than
/// once.
class image_names {
public:
    /// An image that was forked begins with what its parent knew.
    void set_parent(std::shared_ptr<const image_names> parent) noexcept { parent_ = std::move(parent); }

    void add(const wire::stack_record& record);
    void add(const wire::module_record& record);
    void add_type(std::uint32_t stack, std::string_view name);

    /// The frames of a stack, innermost first; nothing if it was not told yet.
    std::optional<std::vector<place_frame>> frames(std::uint32_t stack) const;
    /// The mangled type in the blocks of a stack; empty: not known.
    std::string type_of(std::uint32_t stack) const;

private:
    struct module {
        std::uint64_t bias = 0;
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        std::uint64_t ticks = 0;
        std::string path;
        std::string build_id;
    };

    const module* module_at(std::uint64_t address) const;

    std::shared_ptr<const image_names> parent_;
    std::unordered_map<std::uint32_t, std::vector<std::uint64_t>> stacks_;
    std::unordered_map<std::uint32_t, std::string> types_;
    std::vector<module> modules_;
};

} // namespace linn::tool::live
