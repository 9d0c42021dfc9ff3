// SPDX-License-Identifier: Apache-2.0
#include "footprint.hpp"

#include <linn/pool.hpp>

namespace linn::bench::footprint {
namespace {

struct storage {
    static small* take() { return pool<small>::allocate(); }
    static void give(small* p) noexcept { pool<small>::deallocate(p); }
};

} // namespace

void run_linn(sampler& s) {
    measure<storage>(s, [] {
        pool<small>::trim();
        return "trimmed by pool::trim()";
    });
}

} // namespace linn::bench::footprint
