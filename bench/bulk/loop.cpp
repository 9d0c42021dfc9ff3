// SPDX-License-Identifier: Apache-2.0
#include "bulk.hpp"
#include "support/linn_storage.hpp"

namespace linn::bench::bulk {
namespace {

/// The same pool, an object at a time.
struct storage {
    static void take(node** out, std::size_t n) {
        for (std::size_t i = 0; i != n; ++i) {
            out[i] = linn_storage::take();
        }
    }
    static void give(node** objects, std::size_t n) noexcept {
        for (std::size_t i = 0; i != n; ++i) {
            linn_storage::give(objects[i]);
        }
    }
};

} // namespace

void run_loop(sampler& s) {
    measure_bursts<storage>(s);
}

} // namespace linn::bench::bulk
