// SPDX-License-Identifier: Apache-2.0
#include "variant.hpp"

namespace linn::tool::worker {

const variant* find_variant(std::string_view scenario, std::string_view name) {
    using variants = std::span<const variant>();
    static constexpr variants* files[] = {&general_pools,
                                          &pmr_unsynchronized_pools,
                                          &pmr_synchronized_pools,
                                          &boost_pools,
                                          &lecture_pools,
                                          &linn_pools,
                                          &shared_ptr_standard,
                                          &shared_ptr_locked_pool,
                                          &shared_ptr_linn,
                                          &zero_fill_standard,
                                          &zero_fill_linn,
                                          &pipeline_standard,
                                          &pipeline_locked_pool,
                                          &pipeline_linn,
                                          &buffers_standard,
                                          &buffers_mapping,
                                          &buffers_linn,
                                          &pmr_standard,
                                          &pmr_linn,
                                          &sizes_standard,
                                          &sizes_linn,
                                          &objects_standard,
                                          &objects_free_list,
                                          &objects_floor,
                                          &objects_linn,
                                          &recycled_standard,
                                          &recycled_linn,
                                          &shuffled_standard,
                                          &shuffled_linn,
                                          &threads_standard,
                                          &threads_linn_pool,
                                          &threads_linn_resource};
    for (variants* file : files) {
        for (const variant& v : file()) {
            if (v.scenario == scenario && v.name == name) {
                return &v;
            }
        }
    }
    return nullptr;
}

} // namespace linn::tool::worker
