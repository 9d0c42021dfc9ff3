// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan_tables.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace linn::tool {

// A compiled plan is the magic, then the fields of the tables one after the other, as this machine stores them: a text is its
// length in four bytes, then its letters. What is described here is both written and read.

inline constexpr std::string_view compiled_plan_magic = "linn compiled plan 1\n";

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
    return a.number(s.pool) && a.flag(s.has_token) && a.flag(s.is_behind) && a.number(s.size) &&
           a.number(s.stack) && a.number(s.token) && describe(a, s.call) && describe(a, s.caller);
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
