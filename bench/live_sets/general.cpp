// SPDX-License-Identifier: Apache-2.0
#include "live_sets.hpp"

#include <new>

namespace linn::bench::live_sets {
namespace {

template <std::size_t bytes>
struct storage {
    static void* take() { return ::operator new(bytes); }
    static void give(void* p) noexcept { ::operator delete(p, bytes); }
};

} // namespace

void run_general(sampler& s) {
    measure_all(s, []<std::size_t bytes> { return storage<bytes>{}; });
}

} // namespace linn::bench::live_sets
