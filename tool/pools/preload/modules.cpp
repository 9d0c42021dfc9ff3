// SPDX-License-Identifier: Apache-2.0
#include "modules.hpp"

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

namespace linn::tool::pools {
namespace {

constinit resolved_address calls[most_planned_sites]{};
constinit resolved_address callers[most_planned_sites]{};
constinit site_state modules[most_planned_modules]{};

constinit unsigned long long last_added = 0;
constinit unsigned long long last_removed = 0;

std::string_view file_name_of(const char* path) noexcept {
    const char* const slash = std::strrchr(path, '/');
    const char* const name = slash != nullptr ? slash + 1 : path;
    return {name, std::strlen(name)};
}

struct build_id {
    const unsigned char* bytes = nullptr;
    std::size_t count = 0;
};

/// The note that lies in a segment of the file.
build_id build_id_in(std::uintptr_t at, std::size_t bytes) noexcept {
    const std::uintptr_t end = at + bytes;
    while (end - at >= sizeof(ElfW(Nhdr))) {
        const auto* const note = reinterpret_cast<const ElfW(Nhdr)*>(at);
        const std::uintptr_t name = at + sizeof *note;
        const std::size_t name_bytes = (std::size_t{note->n_namesz} + 3) / 4 * 4;
        const std::size_t text_bytes = (std::size_t{note->n_descsz} + 3) / 4 * 4;
        if (name_bytes > end - name || text_bytes > end - name - name_bytes)
            break;
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
            std::memcmp(reinterpret_cast<const void*>(name), "GNU", 4) == 0)
            return {reinterpret_cast<const unsigned char*>(name + name_bytes), note->n_descsz};
        at = name + name_bytes + text_bytes;
    }
    return {};
}

/// Whether a segment of the file holds it, with all of `flags`.
bool is_mapped(const dl_phdr_info& file, std::uintptr_t begin, std::size_t bytes, unsigned flags) noexcept {
    for (int i = 0; i != file.dlpi_phnum; ++i) {
        const auto& p = file.dlpi_phdr[i];
        const std::uintptr_t offset = begin - (file.dlpi_addr + p.p_vaddr);
        if (p.p_type == PT_LOAD && (p.p_flags & flags) == flags && offset < p.p_memsz &&
            bytes <= p.p_memsz - offset)
            return true;
    }
    return false;
}

build_id build_id_of(const dl_phdr_info& file) noexcept {
    for (int i = 0; i != file.dlpi_phnum; ++i) {
        const auto& p = file.dlpi_phdr[i];
        const std::uintptr_t at = file.dlpi_addr + p.p_vaddr;
        if (p.p_type != PT_NOTE || !is_mapped(file, at, p.p_memsz, PF_R))
            continue;
        if (const build_id found = build_id_in(at, p.p_memsz); found.bytes != nullptr)
            return found;
    }
    return {};
}

site_state compare(const planned_module& planned, const build_id& id, std::string_view name) noexcept {
    if (planned.build_id_bytes == 0)
        return planned.name == name ? site_state::active : site_state::absent;
    if (id.count == planned.build_id_bytes && std::memcmp(id.bytes, planned.build_id, id.count) == 0)
        return site_state::active;
    return planned.name == name ? site_state::other_build : site_state::absent;
}

void resolve(const dl_phdr_info& file, const planned_call& planned, std::uint32_t module,
             resolved_address& into) noexcept {
    if (planned.module != module)
        return;
    const std::uintptr_t address = file.dlpi_addr + planned.offset;
    const std::size_t code = planned.code_bytes;
    const std::uintptr_t begin = address - (code != 0 ? code : 1); // the call is before it
    const bool is_same = is_mapped(file, begin, address - begin, PF_X | PF_R) &&
                         std::memcmp(reinterpret_cast<const void*>(begin), planned.code, code) == 0;
    into = {address, is_same ? site_state::active : site_state::other_code};
}

constinit char program[PATH_MAX]{}; // stacks of threads may be small

struct search {
    const plan_tables& plan;
    bool is_program_passed = false;
};

int look_at(dl_phdr_info* file, std::size_t, void* data) noexcept {
    search& s = *static_cast<search*>(data);
    const char* path = file->dlpi_name;
    if (!s.is_program_passed) { // it comes first, without a name
        s.is_program_passed = true;
        path = program;
    }
    const std::string_view name = file_name_of(path != nullptr ? path : "");
    const build_id id = build_id_of(*file);
    for (std::uint32_t m = 0; m != s.plan.module_count; ++m) {
        if (modules[m] == site_state::active)
            continue; // what is loaded twice is planned once
        const site_state found = compare(s.plan.modules[m], id, name);
        if (found == site_state::absent)
            continue;
        modules[m] = found;
        for (std::uint32_t i = 0; i != s.plan.site_count && found == site_state::active; ++i) {
            resolve(*file, s.plan.sites[i].call, m, calls[i]);
            resolve(*file, s.plan.sites[i].caller, m, callers[i]);
        }
    }
    return 0;
}

} // namespace

void resolve_sites(const plan_tables& plan) noexcept {
    for (std::uint32_t m = 0; m != plan.module_count; ++m)
        modules[m] = site_state::absent;
    for (std::uint32_t i = 0; i != plan.site_count; ++i)
        calls[i] = callers[i] = {0, site_state::absent};
    search now{plan};
    const ssize_t n = ::readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
    ::dl_iterate_phdr(look_at, &now);
    for (std::uint32_t i = 0; i != plan.site_count; ++i) {
        const planned_site& site = plan.sites[i];
        if (!site.has_token && modules[site.call.module] == site_state::other_build)
            calls[i].state = site_state::other_build;
        if (site.is_behind && modules[site.caller.module] == site_state::other_build)
            callers[i].state = site_state::other_build;
    }
}

resolved_address resolved_call(std::uint32_t site) noexcept {
    return calls[site];
}
resolved_address resolved_caller(std::uint32_t site) noexcept {
    return callers[site];
}

bool have_modules_changed() noexcept {
    struct counts {
        unsigned long long added;
        unsigned long long removed;
    } now{0, 0};
    ::dl_iterate_phdr(
        [](dl_phdr_info* file, std::size_t bytes, void* data) {
            if (bytes >= offsetof(dl_phdr_info, dlpi_subs) + sizeof file->dlpi_subs)
                *static_cast<counts*>(data) = {file->dlpi_adds, file->dlpi_subs};
            return 1;
        },
        &now);
    const bool changed = now.added != last_added || now.removed != last_removed;
    last_added = now.added;
    last_removed = now.removed;
    return changed;
}

} // namespace linn::tool::pools
