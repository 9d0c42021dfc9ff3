// SPDX-License-Identifier: Apache-2.0
#include "mapped_file.hpp"

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

bool find_loaded(std::uintptr_t address, dl_find_object& found) noexcept {
    return ::_dl_find_object(reinterpret_cast<void*>(address), &found) == 0;
}

load_counts count_loads() noexcept {
    load_counts now;
    ::dl_iterate_phdr(
        [](dl_phdr_info* file, std::size_t, void* data) {
            *static_cast<load_counts*>(data) = {file->dlpi_adds, file->dlpi_subs};
            return 1;
        },
        &now);
    return now;
}

std::uintptr_t mapped_file::dynamic_value(std::intptr_t tag) const noexcept {
    for (std::size_t i = 0; i != segment_count; ++i) {
        if (segments[i].p_type != PT_DYNAMIC) {
            continue;
        }
        for (const auto* d = reinterpret_cast<const ElfW(Dyn)*>(bias + segments[i].p_vaddr);
             d->d_tag != DT_NULL; ++d) {
            if (d->d_tag == tag) {
                return d->d_un.d_ptr;
            }
        }
    }
    return 0;
}

dynamic_symbols::dynamic_symbols(const mapped_file& file) noexcept
    : bias_(file.bias),
      symbols_(file.dynamic<ElfW(Sym)>(DT_SYMTAB)),
      names_(file.dynamic<char>(DT_STRTAB)),
      gnu_hash_(file.dynamic<std::uint32_t>(DT_GNU_HASH)),
      sysv_hash_(file.dynamic<std::uint32_t>(DT_HASH)) {}

std::optional<void*> dynamic_symbols::definition(std::uint32_t index, const char* name) const noexcept {
    const ElfW(Sym)& s = symbols_[index];
    const unsigned binding = s.st_info >> 4;
    const bool is_defined = s.st_shndx != SHN_UNDEF && (binding == STB_GLOBAL || binding == STB_WEAK) &&
                            std::strcmp(names_ + s.st_name, name) == 0;
    if (!is_defined) {
        return std::nullopt;
    }
    return (s.st_info & 0xf) == STT_GNU_IFUNC ? nullptr : reinterpret_cast<void*>(bias_ + s.st_value);
}

std::optional<void*> dynamic_symbols::find(const char* name) const noexcept {
    if (symbols_ == nullptr || names_ == nullptr) {
        return std::nullopt;
    }
    if (gnu_hash_ != nullptr) {
        std::uint32_t hash = 5381;
        for (const char* c = name; *c != '\0'; ++c) {
            hash = hash * 33 + static_cast<unsigned char>(*c);
        }
        const std::uint32_t buckets = gnu_hash_[0];
        const std::uint32_t first = gnu_hash_[1];
        const std::uint32_t* const bucket = gnu_hash_ + 4 + gnu_hash_[2] * (sizeof(ElfW(Addr)) / 4);
        const std::uint32_t* const chain = bucket + buckets;
        std::uint32_t index = buckets != 0 ? bucket[hash % buckets] : 0;
        if (index < first) {
            return std::nullopt;
        }
        for (;; ++index) {
            const std::uint32_t entry = chain[index - first];
            if ((entry | 1) == (hash | 1)) {
                if (const std::optional<void*> found = definition(index, name)) {
                    return found;
                }
            }
            if ((entry & 1) != 0) {
                return std::nullopt;
            }
        }
    }
    for (std::uint32_t i = 1; sysv_hash_ != nullptr && i < sysv_hash_[1]; ++i) {
        if (const std::optional<void*> found = definition(i, name)) {
            return found;
        }
    }
    return std::nullopt;
}

} // namespace linn::tool::preload
