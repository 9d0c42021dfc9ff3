// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure.hpp"

#include <cstddef>

namespace linn::tool::worker {

/// The object of these scenarios: one cache line, and nothing to construct.
inline constexpr std::size_t object_bytes = 64;

/// `rounds` times: allocates `n` objects, then frees them in the same order. Nothing touches them.
using object_loop = void(void** live, std::size_t n, std::size_t rounds);

/// `Source` has `void* take()` and `void give(void*)`.
template <class Source>
[[gnu::always_inline]] inline void allocate_and_free(void** live, std::size_t n, std::size_t rounds) {
    Source source; // empty, or what a thread keeps for a loop
    for (std::size_t r = 0; r != rounds; ++r) {
        for (std::size_t i = 0; i != n; ++i) {
            void* p = source.take();
            escape(p);
            live[i] = p;
        }
        for (std::size_t i = 0; i != n; ++i) {
            source.give(live[i]);
            escape(live);
        }
    }
}

/// The loop for a source. One object at a time has code of its own, where a loop would cost more than its body.
template <class Source>
[[gnu::noinline]] void pair_rounds(void** live, std::size_t n, std::size_t rounds) {
    if (n == 1) {
        allocate_and_free<Source>(live, 1, rounds);
    } else {
        allocate_and_free<Source>(live, n, rounds);
    }
}

} // namespace linn::tool::worker
