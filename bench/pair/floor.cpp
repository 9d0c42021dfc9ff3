// SPDX-License-Identifier: Apache-2.0
#include "pair.hpp"

namespace linn::bench::pair {
namespace {

/// A thread-local array of pointers that is always full enough and never checked: no pool of pointers can do
/// with less.
struct storage {
    static inline constinit thread_local node** top = nullptr;

    static node* take() noexcept { return *--top; }
    static void give(node* p) noexcept { *top++ = p; }
};

} // namespace

void run_floor(sampler& s) {
    constexpr std::size_t most = batches[std::size(batches) - 1];
    array<node> objects{most};
    array<node*> free{most};
    for (std::size_t i = 0; i != most; ++i) {
        free[i] = objects.begin() + i;
    }
    storage::top = free.end();
    measure_pairs<storage>(s);
}

} // namespace linn::bench::pair
