// SPDX-License-Identifier: Apache-2.0
#include "pairs.hpp"

namespace linn::tool::worker {
namespace {

/// A thread-local array of pointers that is always full enough and never checked: no pool of pointers can do with less.
struct pointer_array {
    static inline constinit thread_local void** top = nullptr;

    static void* take() noexcept { return *--top; }
    static void give(void* p) noexcept { *top++ = p; }
};

outcome run_floor(const options& o) {
    mapped_array<char> objects{most_live * object_bytes};
    mapped_array<void*> free{most_live};
    for (std::size_t i = 0; i != most_live; ++i) {
        free[i] = objects.begin() + i * object_bytes;
    }
    pointer_array::top = free.end();
    return run_pairs<pointer_array>(o);
}

constexpr variant all[] = {
    {"pairs", "array", &run_floor},
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
