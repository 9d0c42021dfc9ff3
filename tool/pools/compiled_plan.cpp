// SPDX-License-Identifier: Apache-2.0
#include "compiled_plan.hpp"

#include <csignal>
#include <cstdlib>
#include <cstring>

namespace linn::tool {
namespace {

bool is_sound(const planned_text& name, const plan_tables& t) noexcept {
    return name.at <= t.letter_count && name.length <= t.letter_count - name.at;
}

bool is_sound(const planned_call& c, const plan_tables& t) noexcept {
    return c.module < t.module_count && c.offset >= most_code_bytes && c.offset <= largest_call_offset &&
           (c.code_bytes == 0 || (c.code_bytes >= least_code_bytes && c.code_bytes <= most_code_bytes));
}

/// What the library relies on: no index is out of range, and no size is one that its indices could not hold.
bool is_sound(const plan_tables& t) noexcept {
    for (std::uint32_t i = 0; i != t.module_count; ++i) {
        if (!is_sound(t.modules[i].name, t) || t.modules[i].build_id_bytes > most_build_id_bytes) {
            return false;
        }
    }
    for (std::uint32_t i = 0; i != t.pool_count; ++i) {
        const planned_pool& p = t.pools[i];
        if (!is_sound(p.name, t) || p.name.length == 0 || p.align < 16 || p.align > 128 ||
            (p.align & (p.align - 1)) != 0 || p.room > largest_planned_size ||
            p.object_bytes > largest_planned_size) {
            return false;
        }
    }
    for (std::uint32_t i = 0; i != t.site_count; ++i) {
        const planned_site& s = t.sites[i];
        if (s.pool >= t.pool_count || s.size == 0 || s.size > t.pools[s.pool].object_bytes ||
            s.stack > largest_stack_offset || s.stack % 8 != 0 || !is_sound(s.call, t) ||
            (s.is_behind != 0 && !is_sound(s.caller, t))) {
            return false;
        }
    }
    return true;
}

} // namespace

bool is_compiled_plan(std::string_view bytes) noexcept {
    return bytes.substr(0, 19) == std::string_view{plan_header{}.magic, 19}; // without the version
}

bool read_compiled_plan(std::string_view bytes, plan_tables& into) noexcept {
    if (bytes.size() < sizeof(plan_header)) {
        return false;
    }
    plan_header& h = into;
    std::memcpy(&h, bytes.data(), sizeof h);
    if (std::memcmp(h.magic, plan_header{}.magic, sizeof h.magic) != 0 ||
        h.module_count > most_planned_modules || h.pool_count > most_planned_pools ||
        h.site_count > most_planned_sites) {
        return false;
    }
    into.sites = reinterpret_cast<const planned_site*>(bytes.data() + sizeof h);
    into.modules = reinterpret_cast<const planned_module*>(into.sites + h.site_count);
    into.pools = reinterpret_cast<const planned_pool*>(into.modules + h.module_count);
    into.letters = reinterpret_cast<const char*>(into.pools + h.pool_count);
    const std::size_t before = sizeof h + h.site_count * sizeof(planned_site) +
                               h.module_count * sizeof(planned_module) + h.pool_count * sizeof(planned_pool);
    return before <= bytes.size() && h.letter_count == bytes.size() - before && is_sound(into);
}

int number_of_signal(const char* name) noexcept {
    if (std::strncmp(name, "SIG", 3) == 0) {
        name += 3;
    }
    for (int number = 1; number != NSIG; ++number) {
        const char* const known = ::sigabbrev_np(number);
        if (known != nullptr && std::strcmp(name, known) == 0) {
            return number;
        }
    }
    char* end = nullptr;
    const long number = std::strtol(name, &end, 10);
    return *name != '\0' && *end == '\0' && number > 0 && number < NSIG ? static_cast<int>(number) : 0;
}

} // namespace linn::tool
