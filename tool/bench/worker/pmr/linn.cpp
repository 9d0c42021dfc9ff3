// SPDX-License-Identifier: Apache-2.0
#include "blocks.hpp"

#include <linn/memory_resource.hpp>

#include <memory>

namespace linn::tool::worker {
namespace {

/// One for all threads.
struct linn_source {
    static std::pmr::memory_resource& get() {
        static auto& resource = *new linn::pool_resource;
        return resource;
    }
    static void end_pass() {}
    static auto make() { return std::make_unique<pool_resource>(); }
};

/// One that takes its slabs from new and delete.
struct linn_source_over_new {
    static std::pmr::memory_resource& get() {
        static auto& resource = *new pool_resource{std::pmr::new_delete_resource()};
        return resource;
    }
    static void end_pass() {}
    static auto make() { return std::make_unique<pool_resource>(std::pmr::new_delete_resource()); }
};

constexpr variant all[] = {
    {"pmr", "linn_pool_resource", &run_pmr<linn_source>},
    {"pmr-blocks", "linn_pool_resource", &run_pmr_blocks<linn_source>},
    {"pmr-blocks", "linn_over_new", &run_pmr_blocks<linn_source_over_new>},
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
