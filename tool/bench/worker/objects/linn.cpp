// SPDX-License-Identifier: Apache-2.0
#include "../linn_sources.hpp"
#include "pairs.hpp"
#include "scaling.hpp"
#include "sets.hpp"

namespace linn::tool::worker {
namespace {

using objects = pool_source<object_bytes>;

/// A burst by one call.
struct all_at_once {
    using pointer = objects::object*;
    static void take(pointer* out, std::size_t n) { pool<objects::object>::allocate_n(std::span{out, n}); }
    static void give(pointer* list, std::size_t n) noexcept {
        pool<objects::object>::deallocate_n(std::span{list, n});
    }
};

struct small_objects : pool_source<footprint_bytes> {
    static void trim() { pool<object>::trim(); }
};

constexpr variant all[] = {
    {"pairs", "linn_pool", &run_pairs<objects>},
    {"bursts", "linn_pool", &run_bursts<one_by_one<objects>>},
    {"bursts", "linn_allocate_n", &run_bursts<all_at_once>},
    {"scattered", "linn_pool", &run_scattered<objects>},
    {"live-sets", "linn_pool", &run_live_sets<pool_source>},
    {"live-sets", "linn_pool_resource", &run_live_sets<resource_source>},
    {"scaling", "linn_pool", &run_scaling<objects>},
    {"footprint", "linn_pool", &run_footprint<small_objects>},
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
