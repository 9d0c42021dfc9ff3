// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace linn::tool {

// A plan as the preloaded library has it. docs/reference/plan.md is the format that people write; the tool compiles it,
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
    bool is_behind; ///< `call` is a wrapper's, and `caller` its caller
    std::uint16_t size;
    std::uint16_t stack;
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

// A compiled plan is the magic, then the fields of the tables one after the other, as this machine stores them: a text is its
// length in four bytes, then its letters. What is described here is both written and read.

inline constexpr std::string_view compiled_plan_magic = "linn compiled plan 2\n";

/// Tells an archive every field of a module, pool or site, in order. An archive has number(), flag(), text() and bytes(),
/// which return false once something is wrong.
template <class Archive>
bool describe(Archive& a, planned_module& m) {
    return a.text(m.name) && a.number(m.build_id_bytes) && a.bytes(m.build_id, m.build_id_bytes);
}
template <class Archive>
bool describe(Archive& a, planned_pool& p) {
    return a.text(p.name) && a.number(p.align) && a.number(p.room) && a.number(p.object_bytes) &&
           a.flag(p.is_padded) && a.flag(p.wants_huge_pages) && a.number(p.max_waste);
}
template <class Archive>
bool describe(Archive& a, planned_call& c) {
    return a.number(c.offset) && a.number(c.module) && a.number(c.code_bytes) &&
           a.bytes(c.code, c.code_bytes);
}
template <class Archive>
bool describe(Archive& a, planned_site& s) {
    return a.number(s.pool) && a.flag(s.is_behind) && a.number(s.size) && a.number(s.stack) &&
           describe(a, s.call) && describe(a, s.caller);
}
template <class Archive>
bool describe(Archive& a, plan_tables& t) {
    if (!a.number(t.max_bytes) || !a.flag(t.has_children) || !a.number(t.module_count) ||
        !a.number(t.pool_count) || !a.number(t.site_count) || t.module_count > most_planned_modules ||
        t.pool_count > most_planned_pools || t.site_count > most_planned_sites) {
        return false;
    }
    bool is_good = true;
    for (std::uint32_t i = 0; i != t.module_count; ++i) {
        is_good = is_good && describe(a, t.modules[i]);
    }
    for (std::uint32_t i = 0; i != t.pool_count; ++i) {
        is_good = is_good && describe(a, t.pools[i]);
    }
    for (std::uint32_t i = 0; i != t.site_count; ++i) {
        is_good = is_good && describe(a, t.sites[i]);
    }
    return is_good;
}

/// Whether a file is a compiled plan, of any version.
bool is_compiled_plan(std::string_view bytes) noexcept;

/// Reads a compiled plan. What `into` names lies in `bytes`. @returns false when it is none, or damaged: `into` is not to be used
/// @complexity linear; no allocation, no call of the system
bool read_compiled_plan(std::string_view bytes, plan_tables& into) noexcept;

} // namespace linn::tool
