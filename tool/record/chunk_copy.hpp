// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace linn::tool {

/// Copies a chunk that its owner may be writing, in ascending order, a word at a time: the owner writes an entry's tag last, so an
/// entry whose tag is in the copy is there as a whole.
inline void copy_upwards(const unsigned char* from, unsigned char* to, std::size_t bytes) {
    for (std::size_t i = 0; i != bytes; i += 8) {
        // Pairs with the order in which the encoder writes an entry.
        const std::uint64_t word =
            __atomic_load_n(reinterpret_cast<const std::uint64_t*>(from + i), __ATOMIC_ACQUIRE);
        std::memcpy(to + i, &word, 8);
    }
}

} // namespace linn::tool
