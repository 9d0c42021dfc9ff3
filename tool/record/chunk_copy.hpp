// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../trace/ring.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

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

/// Copies chunk `i`, which stays its owner's. False: a writer does not own it, or handed it over meanwhile.
inline bool copy_owned(const wire::ring& ring, std::uint32_t i, std::vector<unsigned char>& copy) {
    const wire::chunk_word word = ring.word(i);
    if (word.state != wire::chunk_state::owned) {
        return false;
    }
    copy.resize(wire::chunk_bytes);
    copy_upwards(ring.chunk(i), copy.data(), copy.size());
    return ring.word(i).pack() == word.pack();
}

} // namespace linn::tool
