// SPDX-License-Identifier: Apache-2.0
#include "library.hpp"

namespace linn::tool::worker {
namespace {

struct here {};

} // namespace

void descriptor_pool(void** live, std::size_t n, std::size_t rounds) {
    pair_rounds<inlined_calls<here>>(live, n, rounds);
}

void descriptor_pool_call(void** live, std::size_t n, std::size_t rounds) {
    pair_rounds<outlined_calls<here>>(live, n, rounds);
}

} // namespace linn::tool::worker
