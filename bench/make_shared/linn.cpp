// SPDX-License-Identifier: Apache-2.0
#include "make_shared.hpp"

#include <linn/memory.hpp>

namespace linn::bench::make_shared {
namespace {

struct pooled {
    static std::shared_ptr<packet> make() { return linn::make_shared_for_overwrite<packet>(); }
};

} // namespace

void run_linn(sampler& s) {
    measure<pooled>(s);
}

} // namespace linn::bench::make_shared
