// SPDX-License-Identifier: Apache-2.0
#include "linn_pool.hpp"

#include "threads.hpp"

namespace linn::tool::worker {
namespace {

constexpr auto all = all_programs<pool_memory, timed_pool_memory>("linn_pool");

const variants here{all};

} // namespace
} // namespace linn::tool::worker
