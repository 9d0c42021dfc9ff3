// SPDX-License-Identifier: Apache-2.0
#include "linn_pool.hpp"

#include "threads.hpp"

namespace linn::tool::worker {
namespace {

constexpr auto all = all_programs<pool_memory, timed_pool_memory>("linn_pool");

} // namespace

std::span<const variant> threads_linn_pool() {
    return all;
}

} // namespace linn::tool::worker
