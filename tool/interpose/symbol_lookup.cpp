// SPDX-License-Identifier: Apache-2.0
#include "symbol_lookup.hpp"

#include <elf.h>

#include <cstring>

namespace linn::tool::preload {

dynamic_symbols::dynamic_symbols(const dl_phdr_info& file) noexcept : bias_(file.dlpi_addr) {
    for (int i = 0; i != file.dlpi_phnum; ++i) {
        if (file.dlpi_phdr[i].p_type != PT_DYNAMIC) {
            continue;
        }
        const auto* d = reinterpret_cast<const ElfW(Dyn)*>(bias_ + file.dlpi_phdr[i].p_vaddr);
        for (; d->d_tag != DT_NULL; ++d) {
            // Most loaders write the address in place, some leave the offset.
            const std::uintptr_t address = d->d_un.d_ptr < bias_ ? d->d_un.d_ptr + bias_ : d->d_un.d_ptr;
            const void* const p = reinterpret_cast<const void*>(address);
            switch (d->d_tag) {
            case DT_SYMTAB:
                symbols_ = static_cast<const ElfW(Sym)*>(p);
                break;
            case DT_STRTAB:
                names_ = static_cast<const char*>(p);
                break;
            case DT_GNU_HASH:
                gnu_hash_ = static_cast<const std::uint32_t*>(p);
                break;
            case DT_HASH:
                sysv_hash_ = static_cast<const std::uint32_t*>(p);
                break;
            default:
                break;
            }
        }
    }
}

void* dynamic_symbols::definition(std::uint32_t index, const char* name) const noexcept {
    const ElfW(Sym)& s = symbols_[index];
    const unsigned binding = s.st_info >> 4;
    const bool is_defined = s.st_shndx != SHN_UNDEF && (binding == STB_GLOBAL || binding == STB_WEAK) &&
                            std::strcmp(names_ + s.st_name, name) == 0;
    return is_defined ? reinterpret_cast<void*>(bias_ + s.st_value) : nullptr;
}

void* dynamic_symbols::find(const char* name) const noexcept {
    if (symbols_ == nullptr || names_ == nullptr) {
        return nullptr;
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
            return nullptr;
        }
        for (;; ++index) {
            const std::uint32_t entry = chain[index - first];
            if ((entry | 1) == (hash | 1)) {
                if (void* const found = definition(index, name)) {
                    return found;
                }
            }
            if ((entry & 1) != 0) {
                return nullptr;
            }
        }
    }
    for (std::uint32_t i = 1; sysv_hash_ != nullptr && i < sysv_hash_[1]; ++i) {
        if (void* const found = definition(i, name)) {
            return found;
        }
    }
    return nullptr;
}

} // namespace linn::tool::preload
