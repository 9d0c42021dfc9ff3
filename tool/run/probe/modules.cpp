// SPDX-License-Identifier: Apache-2.0
#include "parts.hpp"

#include <elf.h>
#include <link.h>

#include <cstring>

namespace linn::tool::probe {
namespace {

/// The mangled names contain the letter for size_t: 'm' where it is unsigned long.
constexpr bool is_long = sizeof(void*) == 8;
constexpr const char* symbols[function_count] = {"malloc", "free", is_long ? "_Znwm" : "_Znwj", "_ZdlPv",
                                                 is_long ? "_ZdlPvm" : "_ZdlPvj"};

/// The parts of a module's dynamic section that a symbol lookup needs.
struct symbol_table {
    const ElfW(Sym) * symbols = nullptr;
    const char* names = nullptr;
    const std::uint32_t* gnu_hash = nullptr;
    const std::uint32_t* sysv_hash = nullptr;

    explicit symbol_table(const dl_phdr_info& module) noexcept {
        for (int i = 0; i != module.dlpi_phnum; ++i) {
            if (module.dlpi_phdr[i].p_type != PT_DYNAMIC) {
                continue;
            }
            const auto* d =
                reinterpret_cast<const ElfW(Dyn)*>(module.dlpi_addr + module.dlpi_phdr[i].p_vaddr);
            for (; d->d_tag != DT_NULL; ++d) {
                // Most loaders write the address in place, some leave the offset.
                const ElfW(Addr) address =
                    d->d_un.d_ptr < module.dlpi_addr ? d->d_un.d_ptr + module.dlpi_addr : d->d_un.d_ptr;
                const void* const p = reinterpret_cast<const void*>(address);
                if (d->d_tag == DT_SYMTAB) {
                    symbols = static_cast<const ElfW(Sym)*>(p);
                } else if (d->d_tag == DT_STRTAB) {
                    names = static_cast<const char*>(p);
                } else if (d->d_tag == DT_GNU_HASH) {
                    gnu_hash = static_cast<const std::uint32_t*>(p);
                } else if (d->d_tag == DT_HASH) {
                    sysv_hash = static_cast<const std::uint32_t*>(p);
                }
            }
        }
    }

    bool defines(const char* name) const noexcept {
        if (symbols == nullptr || names == nullptr) {
            return false;
        }
        return gnu_hash != nullptr ? in_gnu_hash(name) : sysv_hash != nullptr && in_sysv_hash(name);
    }

private:
    bool is_definition(std::uint32_t index, const char* name) const noexcept {
        const ElfW(Sym)& s = symbols[index];
        const unsigned binding = s.st_info >> 4;
        return s.st_shndx != SHN_UNDEF && (binding == STB_GLOBAL || binding == STB_WEAK) &&
               std::strcmp(names + s.st_name, name) == 0;
    }

    bool in_gnu_hash(const char* name) const noexcept {
        std::uint32_t hash = 5381;
        for (const char* c = name; *c != '\0'; ++c) {
            hash = hash * 33 + static_cast<unsigned char>(*c);
        }
        const std::uint32_t buckets = gnu_hash[0];
        const std::uint32_t first = gnu_hash[1];
        if (buckets == 0) {
            return false;
        }
        const std::uint32_t* const bucket = gnu_hash + 4 + gnu_hash[2] * (sizeof(ElfW(Addr)) / 4);
        const std::uint32_t* const chain = bucket + buckets;
        std::uint32_t index = bucket[hash % buckets];
        if (index < first) {
            return false;
        }
        for (;; ++index) {
            const std::uint32_t entry = chain[index - first];
            if ((entry | 1) == (hash | 1) && is_definition(index, name)) {
                return true;
            }
            if ((entry & 1) != 0) {
                return false;
            }
        }
    }

    bool in_sysv_hash(const char* name) const noexcept {
        const std::uint32_t count = sysv_hash[1];
        for (std::uint32_t index = 1; index < count; ++index) {
            if (is_definition(index, name)) {
                return true;
            }
        }
        return false;
    }
};

int look_at(dl_phdr_info* module, std::size_t, void* data) noexcept {
    providers& found = *static_cast<providers*>(data);
    const char* const name = module->dlpi_name != nullptr ? module->dlpi_name : "";
    if (std::strncmp(name, "linux-", 6) == 0) { // the kernel's own, without memory functions
        return 0;
    }
    if (found.library != nullptr && *found.library != '\0' && std::strcmp(name, found.library) == 0) {
        found.library_mapped = true;
    }
    const symbol_table table{*module};
    if (found.files[0] != nullptr && found.next_malloc == nullptr && table.defines(symbols[0])) {
        found.next_malloc = name;
    }
    for (std::size_t i = 0; i != function_count; ++i) {
        if (found.files[i] == nullptr && table.defines(symbols[i])) {
            found.files[i] = name;
        }
    }
    return 0;
}

} // namespace

void find_providers(providers& into) noexcept {
    ::dl_iterate_phdr(look_at, &into);
}

} // namespace linn::tool::probe
