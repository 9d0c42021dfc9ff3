// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace linn::tool {

// A plan as the preloaded library has it. docs/reference/plan.md is the format that people write; the tool compiles it (compiled_plan.hpp),
// because the library reads it before any allocator works: it allocates nothing, and its tables have fixed sizes.

inline constexpr std::size_t most_planned_modules = 256;
inline constexpr std::size_t most_planned_pools = 62;
inline constexpr std::size_t most_planned_sites = 4096;
inline constexpr std::uint32_t largest_planned_size = 1008;
inline constexpr std::uint32_t largest_stack_offset = 1024;
inline constexpr std::uint32_t usual_max_waste = 8;
inline constexpr std::size_t least_code_bytes = 8;
inline constexpr std::size_t most_code_bytes = 16;
inline constexpr std::size_t most_build_id_bytes = 64;
inline constexpr std::uint64_t largest_call_offset = std::uint64_t{1} << 46;

struct planned_module {
    std::string_view name;
    unsigned char build_id[most_build_id_bytes];
    std::uint8_t build_id_bytes; ///< 0: known by its name
};

struct planned_pool {
    std::string_view name;
    std::uint16_t align;
    std::uint16_t room;         ///< for blocks that grow; 0: no more than its sites ask for
    std::uint16_t object_bytes; ///< the largest size of its sites, and `room` at least; 0: it has none
    bool is_padded;
    bool wants_huge_pages;
    std::uint32_t max_waste;
};

/// A return address.
struct planned_call {
    std::uint64_t offset;
    std::uint16_t module;
    std::uint8_t code_bytes; ///< 0: not compared
    unsigned char code[most_code_bytes];
};

struct planned_site {
    std::uint8_t pool;
    bool has_token; ///< instead of `call`
    bool is_behind; ///< `call` is a wrapper's, and `caller` its caller
    std::uint16_t size;
    std::uint16_t stack;
    std::uint64_t token;
    planned_call call;
    planned_call caller;
};

struct plan_tables {
    std::uint64_t max_bytes; ///< 0: no limit
    bool has_children;
    std::uint32_t module_count;
    std::uint32_t pool_count;
    std::uint32_t site_count;
    planned_module modules[most_planned_modules];
    planned_pool pools[most_planned_pools];
    planned_site sites[most_planned_sites];
};

} // namespace linn::tool
