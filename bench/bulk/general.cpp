// SPDX-License-Identifier: Apache-2.0
#include "bulk.hpp"
#include "support/general_storage.hpp"

namespace linn::bench::bulk {
namespace {

struct storage {
    static void take(node** out, std::size_t n) {
        for (std::size_t i = 0; i != n; ++i) {
            out[i] = general_storage::take();
        }
    }
    static void give(node** objects, std::size_t n) noexcept {
        for (std::size_t i = 0; i != n; ++i) {
            general_storage::give(objects[i]);
        }
    }
};

} // namespace

void run_general(sampler& s) {
    measure_bursts<storage>(s);
}

} // namespace linn::bench::bulk
