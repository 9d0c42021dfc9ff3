// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure.hpp"
#include "options.hpp"

#include <span>
#include <string_view>

namespace linn::tool::worker {

/// One way of doing the work of a scenario, such as `make_shared` in shared-ptr.
struct variant {
    std::string_view scenario;
    std::string_view name; ///< as in tool/bench/scenarios/
    outcome (*run)(const options&);
};

// One function a file; the registry of a worker asks those that it is linked with.
std::span<const variant> headline_standard();
std::span<const variant> headline_linn();
std::span<const variant> general_pools();
std::span<const variant> pmr_unsynchronized_pools();
std::span<const variant> pmr_synchronized_pools();
std::span<const variant> boost_pools();
std::span<const variant> lecture_pools();
std::span<const variant> linn_pools();
std::span<const variant> shared_ptr_standard();
std::span<const variant> shared_ptr_locked_pool();
std::span<const variant> shared_ptr_linn();
std::span<const variant> zero_fill_standard();
std::span<const variant> zero_fill_linn();
std::span<const variant> pipeline_standard();
std::span<const variant> pipeline_locked_pool();
std::span<const variant> pipeline_linn();
std::span<const variant> buffers_standard();
std::span<const variant> buffers_mapping();
std::span<const variant> buffers_linn();
std::span<const variant> pmr_standard();
std::span<const variant> pmr_linn();
std::span<const variant> sizes_standard();
std::span<const variant> sizes_linn();
std::span<const variant> objects_standard();
std::span<const variant> objects_free_list();
std::span<const variant> objects_floor();
std::span<const variant> objects_linn();
std::span<const variant> recycled_standard();
std::span<const variant> recycled_linn();
std::span<const variant> shuffled_standard();
std::span<const variant> shuffled_linn();
std::span<const variant> threads_standard();
std::span<const variant> threads_linn_pool();
std::span<const variant> threads_linn_resource();

/// The variant of that scenario and name, or null.
const variant* find_variant(std::string_view scenario, std::string_view name);

} // namespace linn::tool::worker
