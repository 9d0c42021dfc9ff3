// SPDX-License-Identifier: Apache-2.0
#include "bulk.hpp"

#include <linn/pool.hpp>

#include <span>

namespace linn::bench::bulk {
namespace {

struct storage {
    static void take(node** out, std::size_t n) { pool<node>::allocate_n(std::span{out, n}); }
    static void give(node** objects, std::size_t n) noexcept {
        pool<node>::deallocate_n(std::span{objects, n});
    }
};

} // namespace

void run_bulk(sampler& s) {
    measure_bursts<storage>(s);
}

} // namespace linn::bench::bulk
