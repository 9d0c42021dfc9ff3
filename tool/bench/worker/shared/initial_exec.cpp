// SPDX-License-Identifier: Apache-2.0
#define LINN_INITIAL_EXEC
#include "library.hpp"

namespace linn::tool::worker {
namespace {

struct here {};

} // namespace

void initial_exec_pool(void** live, std::size_t n, std::size_t rounds) {
    pair_rounds<inlined_calls<here>>(live, n, rounds);
}

} // namespace linn::tool::worker
