// SPDX-License-Identifier: Apache-2.0
#include "linn_resource.hpp"

#include "threads.hpp"

namespace linn::tool::worker {
namespace {

constexpr auto all = all_programs<resource_memory, timed_resource_memory>("linn_pool_resource");

} // namespace

std::span<const variant> threads_linn_resource() {
    return all;
}

} // namespace linn::tool::worker
