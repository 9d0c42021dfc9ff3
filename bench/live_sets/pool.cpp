// SPDX-License-Identifier: Apache-2.0
#include "live_sets.hpp"

#include <linn/pool.hpp>

namespace linn::bench::live_sets {
namespace {

template <std::size_t bytes>
struct storage {
    using pool = linn::pool<object<bytes>>;

    static void* take() { return pool::allocate(); }
    static void give(void* p) noexcept { pool::deallocate(static_cast<object<bytes>*>(p)); }
};

} // namespace

void run_pool(sampler& s) {
    measure_all(s, []<std::size_t bytes> { return storage<bytes>{}; });
}

} // namespace linn::bench::live_sets
