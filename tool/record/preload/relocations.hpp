// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../interpose/build_id.hpp"

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace linn::tool::preload {

/// A word that the loader fills with the address of a symbol.
struct relocation {
    std::uintptr_t address;
    const char* name;
    bool is_call; ///< of a call, and so perhaps filled by the first one only
};

/// The relocations by symbols of a mapped file, and what of its memory they concern.
class relocations {
public:
    explicit relocations(const dl_phdr_info& file) noexcept;

    template <class Visit>
    void for_each(Visit visit) const noexcept {
        for (const auto& [first, bytes] : {calls_, others_}) {
            for (std::size_t i = 0; symbols_ != nullptr && i != bytes / sizeof(ElfW(Rela)); ++i) {
                const ElfW(Rela)& r = first[i];
                const std::uint64_t symbol = ELF64_R_SYM(r.r_info);
                if (is_symbols_address(ELF64_R_TYPE(r.r_info)) && r.r_addend == 0 && symbol != 0) {
                    visit(relocation{file_.bias + r.r_offset, names_ + symbols_[symbol].st_name,
                                     first == calls_.first});
                }
            }
        }
    }

    /// Whether the address lies in the file's memory.
    bool holds(std::uintptr_t address) const noexcept { return file_.holds(address, 1, PF_R); }
    /// Whether the file has a function of this name itself.
    bool defines(const char* name) const noexcept;
    /// Whether the loader has taken the right to write there away.
    bool is_read_only(std::uintptr_t address) const noexcept {
        return address - read_only_.first < read_only_.second - read_only_.first;
    }
    bool is_loader() const noexcept { return is_loader_; }

    std::size_t segment_count() const noexcept { return file_.segment_count; }
    /// First and last address of segment `i`; both 0 where it is not written to.
    std::pair<std::uintptr_t, std::uintptr_t> data_segment(std::size_t i) const noexcept;

private:
    using table = std::pair<const ElfW(Rela)*, std::size_t>; ///< and its bytes

    static bool is_symbols_address(std::uint64_t type) noexcept {
#if defined(__x86_64__)
        return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT || type == R_X86_64_64;
#elif defined(__aarch64__)
        return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT || type == R_AARCH64_ABS64;
#else
        return false;
#endif
    }

    const dl_phdr_info& info_;
    mapped_file file_;
    table calls_{};
    table others_{};
    const ElfW(Sym) * symbols_ = nullptr;
    const char* names_ = nullptr;
    std::pair<std::uintptr_t, std::uintptr_t> read_only_{};
    bool is_loader_ = false;
};

} // namespace linn::tool::preload
