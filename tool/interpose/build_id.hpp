// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>

namespace linn::tool::preload {

/// The program headers of a mapped file: what says where its parts lie.
struct mapped_file {
    std::uintptr_t bias = 0; ///< added to the addresses in the file
    const ElfW(Phdr) * segments = nullptr;
    std::size_t segment_count = 0;

    /// Whether one of its segments holds these bytes, with all of `flags` (PF_R, PF_X).
    bool holds(std::uintptr_t begin, std::size_t bytes, unsigned flags) const noexcept;
};

/// In the mapped file; `bytes` is null where it has none.
struct build_id {
    const unsigned char* bytes = nullptr;
    std::size_t count = 0;
};

build_id build_id_of(const mapped_file& file) noexcept;

} // namespace linn::tool::preload
