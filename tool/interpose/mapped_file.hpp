// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace linn::tool::preload {

/// The program headers of a mapped file: what says where its parts lie.
struct mapped_file {
    std::uintptr_t bias = 0; ///< added to the addresses in the file
    const ElfW(Phdr) * segments = nullptr;
    std::size_t segment_count = 0;

    mapped_file() = default;
    mapped_file(std::uintptr_t b, const ElfW(Phdr) * first, std::size_t count) noexcept
        : bias(b),
          segments(first),
          segment_count(count) {}
    explicit mapped_file(const dl_phdr_info& file) noexcept
        : mapped_file(file.dlpi_addr, file.dlpi_phdr, file.dlpi_phnum) {}

    /// Whether one of its segments holds these bytes, with all of `flags` (PF_R, PF_X).
    bool holds(std::uintptr_t begin, std::size_t bytes, unsigned flags) const noexcept;

    /// An entry of its dynamic section; 0 where it has none.
    std::uintptr_t dynamic_value(std::intptr_t tag) const noexcept;
    /// An entry that is an address; null where it has none.
    template <class T>
    const T* dynamic(std::intptr_t tag) const noexcept {
        const std::uintptr_t at = dynamic_value(tag);
        // Most loaders write the address in place, some leave the offset.
        return at == 0 ? nullptr : reinterpret_cast<const T*>(at < bias ? at + bias : at);
    }
};

/// In the mapped file; `bytes` is null where it has none.
struct build_id {
    const unsigned char* bytes = nullptr;
    std::size_t count = 0;
};
build_id build_id_of(const mapped_file& file) noexcept;

/// What the loader knows of the file at an address; false where it has none. Takes no lock, unlike dl_iterate_phdr; the C library has
/// the lookup from 2.35 on.
bool find_loaded(std::uintptr_t address, dl_find_object& found) noexcept;

/// How many files the loader has mapped and unmapped so far.
struct load_counts {
    unsigned long long loads = 0;
    unsigned long long unloads = 0;

    bool operator==(const load_counts&) const = default;
};
load_counts count_loads() noexcept;

/// The dynamic symbols of a mapped file. Not dlsym: it allocates a message for what is missing, and takes for a
/// definition what is only a non-PIE executable's entry for a foreign function.
class dynamic_symbols {
public:
    explicit dynamic_symbols(const mapped_file& file) noexcept;

    /// The address of a function that the file defines; null where the file chooses one of several when it is loaded, which only
    /// dlsym knows.
    std::optional<void*> find(const char* name) const noexcept;

private:
    std::optional<void*> definition(std::uint32_t index, const char* name) const noexcept;

    std::uintptr_t bias_;
    const ElfW(Sym) * symbols_;
    const char* names_;
    const std::uint32_t* gnu_hash_;
    const std::uint32_t* sysv_hash_;
};

} // namespace linn::tool::preload
