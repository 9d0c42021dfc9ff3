// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>

namespace linn::tool::preload {

/// The dynamic symbols of a mapped file. Not dlsym: it allocates a message for what is missing, and takes for a
/// definition what is only a non-PIE executable's entry for a foreign function.
class dynamic_symbols {
public:
    explicit dynamic_symbols(const dl_phdr_info& file) noexcept;

    /// The address of a function that the file defines; null if it does not.
    void* find(const char* name) const noexcept;

private:
    void* definition(std::uint32_t index, const char* name) const noexcept;

    std::uintptr_t bias_;
    const ElfW(Sym) * symbols_ = nullptr;
    const char* names_ = nullptr;
    const std::uint32_t* gnu_hash_ = nullptr;
    const std::uint32_t* sysv_hash_ = nullptr;
};

} // namespace linn::tool::preload
