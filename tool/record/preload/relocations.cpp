// SPDX-License-Identifier: Apache-2.0
#include "relocations.hpp"

#include "../../interpose/symbol_lookup.hpp"

#include <sys/auxv.h>

namespace linn::tool::preload {

relocations::relocations(const dl_phdr_info& file) noexcept
    : info_(file),
      file_{file.dlpi_addr, file.dlpi_phdr, file.dlpi_phnum},
      is_loader_(file.dlpi_addr == ::getauxval(AT_BASE)) {
    constexpr std::uintptr_t page = 4096;
    const ElfW(Dyn)* d = nullptr;
    for (std::size_t i = 0; i != file_.segment_count; ++i) {
        const auto& p = file_.segments[i];
        const std::uintptr_t at = file_.bias + p.p_vaddr;
        if (p.p_type == PT_DYNAMIC) {
            d = reinterpret_cast<const ElfW(Dyn)*>(at);
        } else if (p.p_type == PT_GNU_RELRO) { // as the loader rounds it
            read_only_ = {at & ~(page - 1), (at + p.p_memsz) & ~(page - 1)};
        }
    }
    for (; d != nullptr && d->d_tag != DT_NULL; ++d) {
        // Most loaders write the address in place, some leave the offset.
        const std::uintptr_t at = d->d_un.d_ptr < file_.bias ? d->d_un.d_ptr + file_.bias : d->d_un.d_ptr;
        switch (d->d_tag) {
        case DT_SYMTAB:
            symbols_ = reinterpret_cast<const ElfW(Sym)*>(at);
            break;
        case DT_STRTAB:
            names_ = reinterpret_cast<const char*>(at);
            break;
        case DT_RELA:
            others_.first = reinterpret_cast<const ElfW(Rela)*>(at);
            break;
        case DT_RELASZ:
            others_.second = d->d_un.d_val;
            break;
        case DT_JMPREL:
            calls_.first = reinterpret_cast<const ElfW(Rela)*>(at);
            break;
        case DT_PLTRELSZ:
            calls_.second = d->d_un.d_val;
            break;
        default:
            break;
        }
    }
    if (names_ == nullptr) {
        symbols_ = nullptr;
    }
}

bool relocations::defines(const char* name) const noexcept {
    return dynamic_symbols{info_}.find(name) != nullptr;
}

std::pair<std::uintptr_t, std::uintptr_t> relocations::data_segment(std::size_t i) const noexcept {
    const auto& p = file_.segments[i];
    if (p.p_type != PT_LOAD || (p.p_flags & PF_W) == 0) {
        return {};
    }
    const std::uintptr_t at = file_.bias + p.p_vaddr;
    return {(at + 7) & ~std::uintptr_t{7}, at + p.p_memsz};
}

} // namespace linn::tool::preload
