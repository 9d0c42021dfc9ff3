// SPDX-License-Identifier: Apache-2.0
#include "build_id.hpp"

#include <elf.h>

#include <cstring>

namespace linn::tool::preload {
namespace {

build_id build_id_in(std::uintptr_t at, std::size_t bytes) noexcept {
    const std::uintptr_t end = at + bytes;
    while (end - at >= sizeof(ElfW(Nhdr))) {
        const auto* const note = reinterpret_cast<const ElfW(Nhdr)*>(at);
        const std::uintptr_t name = at + sizeof *note;
        const std::size_t name_bytes = (std::size_t{note->n_namesz} + 3) / 4 * 4;
        const std::size_t text_bytes = (std::size_t{note->n_descsz} + 3) / 4 * 4;
        if (name_bytes > end - name || text_bytes > end - name - name_bytes) {
            break;
        }
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
            std::memcmp(reinterpret_cast<const void*>(name), "GNU", 4) == 0) {
            return {reinterpret_cast<const unsigned char*>(name + name_bytes), note->n_descsz};
        }
        at = name + name_bytes + text_bytes;
    }
    return {};
}

} // namespace

bool mapped_file::holds(std::uintptr_t begin, std::size_t bytes, unsigned flags) const noexcept {
    for (std::size_t i = 0; i != segment_count; ++i) {
        const auto& p = segments[i];
        const std::uintptr_t offset = begin - (bias + p.p_vaddr);
        if (p.p_type == PT_LOAD && (p.p_flags & flags) == flags && offset < p.p_memsz &&
            bytes <= p.p_memsz - offset) {
            return true;
        }
    }
    return false;
}

build_id build_id_of(const mapped_file& file) noexcept {
    for (std::size_t i = 0; i != file.segment_count; ++i) {
        const auto& p = file.segments[i];
        const std::uintptr_t at = file.bias + p.p_vaddr;
        if (p.p_type != PT_NOTE || !file.holds(at, p.p_memsz, PF_R)) {
            continue;
        }
        if (const build_id found = build_id_in(at, p.p_memsz); found.bytes != nullptr) {
            return found;
        }
    }
    return {};
}

} // namespace linn::tool::preload
