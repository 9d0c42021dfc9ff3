// SPDX-License-Identifier: Apache-2.0
#include "linn_resource.hpp"

#include "threads.hpp"

namespace linn::tool::worker {
namespace {

constexpr auto all = all_programs<resource_memory, timed_resource_memory>("linn_pool_resource");

const variants here{all};

} // namespace
} // namespace linn::tool::worker
