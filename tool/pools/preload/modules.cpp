// SPDX-License-Identifier: Apache-2.0
#include "../../interpose/mapped_file.hpp"
#include "sites.hpp"

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <unistd.h>

#include <cstring>

namespace linn::tool::pools {
namespace {

constinit resolved_address calls[most_planned_sites]{};
constinit resolved_address callers[most_planned_sites]{};
constinit site_state modules[most_planned_modules]{};

constinit preload::load_counts last_loads{};

std::string_view file_name_of(const char* path) noexcept {
    const char* const slash = std::strrchr(path, '/');
    const char* const name = slash != nullptr ? slash + 1 : path;
    return {name, std::strlen(name)};
}

site_state compare(const planned_module& planned, const preload::build_id& id,
                   std::string_view name) noexcept {
    if (planned.build_id_bytes == 0) {
        return planned.name == name ? site_state::active : site_state::absent;
    }
    if (id.count == planned.build_id_bytes && std::memcmp(id.bytes, planned.build_id, id.count) == 0) {
        return site_state::active;
    }
    return planned.name == name ? site_state::other_build : site_state::absent;
}

void resolve(const preload::mapped_file& file, const planned_call& planned, std::uint32_t module,
             resolved_address& into) noexcept {
    if (planned.module != module) {
        return;
    }
    const std::uintptr_t address = file.bias + planned.offset;
    const std::size_t code = planned.code_bytes;
    const std::uintptr_t begin = address - (code != 0 ? code : 1); // the call is before it
    const bool is_same = file.holds(begin, address - begin, PF_X | PF_R) &&
                         std::memcmp(reinterpret_cast<const void*>(begin), planned.code, code) == 0;
    into = {address, is_same ? site_state::active : site_state::other_code};
}

constinit char program[PATH_MAX]{}; // stacks of threads may be small

struct search {
    const plan_tables& plan;
    bool is_program_passed = false;
};

int look_at(dl_phdr_info* info, std::size_t, void* data) noexcept {
    search& s = *static_cast<search*>(data);
    const preload::mapped_file file{*info};
    const char* path = info->dlpi_name;
    if (!s.is_program_passed) { // it comes first, without a name
        s.is_program_passed = true;
        path = program;
    }
    const std::string_view name = file_name_of(path != nullptr ? path : "");
    const preload::build_id id = preload::build_id_of(file);
    for (std::uint32_t m = 0; m != s.plan.module_count; ++m) {
        if (modules[m] == site_state::active) {
            continue; // what is loaded twice is planned once
        }
        const site_state found = compare(s.plan.modules[m], id, name);
        if (found == site_state::absent) {
            continue;
        }
        modules[m] = found;
        for (std::uint32_t i = 0; i != s.plan.site_count && found == site_state::active; ++i) {
            resolve(file, s.plan.sites[i].call, m, calls[i]);
            resolve(file, s.plan.sites[i].caller, m, callers[i]);
        }
    }
    return 0;
}

} // namespace

void resolve_sites(const plan_tables& plan) noexcept {
    for (std::uint32_t m = 0; m != plan.module_count; ++m) {
        modules[m] = site_state::absent;
    }
    for (std::uint32_t i = 0; i != plan.site_count; ++i) {
        calls[i] = callers[i] = {0, site_state::absent};
    }
    search now{plan};
    const ssize_t n = ::readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
    ::dl_iterate_phdr(look_at, &now);
    for (std::uint32_t i = 0; i != plan.site_count; ++i) {
        const planned_site& site = plan.sites[i];
        if (!site.has_token && modules[site.call.module] == site_state::other_build) {
            calls[i].state = site_state::other_build;
        }
        if (site.is_behind && modules[site.caller.module] == site_state::other_build) {
            callers[i].state = site_state::other_build;
        }
    }
}

resolved_address resolved_call(std::uint32_t site) noexcept {
    return calls[site];
}
resolved_address resolved_caller(std::uint32_t site) noexcept {
    return callers[site];
}

bool have_modules_changed() noexcept {
    const preload::load_counts now = preload::count_loads();
    const bool changed = now != last_loads;
    last_loads = now;
    return changed;
}

} // namespace linn::tool::pools
