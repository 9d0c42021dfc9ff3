// SPDX-License-Identifier: Apache-2.0
#include "blocks.hpp"

#include <memory>
#include <memory_resource>

namespace linn::tool::worker {
namespace {

struct new_delete_source {
    static std::pmr::memory_resource& get() { return *std::pmr::new_delete_resource(); }
    static void end_pass() {}
    static auto make() { return std::pmr::new_delete_resource(); }
};

/// One a thread, because that is the only way to use it.
struct unsynchronized_source {
    std::pmr::unsynchronized_pool_resource resource;
    std::pmr::memory_resource& get() { return resource; }
    static void end_pass() {}
    static auto make() { return std::make_unique<std::pmr::unsynchronized_pool_resource>(); }
};

/// One for all threads.
struct synchronized_source {
    static std::pmr::memory_resource& get() {
        static auto& resource = *new std::pmr::synchronized_pool_resource;
        return resource;
    }
    static void end_pass() {}
    static auto make() { return std::make_unique<std::pmr::synchronized_pool_resource>(); }
};

/// Gives back nothing before the end of a pass; that end is part of the figure.
struct monotonic_source {
    std::pmr::monotonic_buffer_resource resource;
    std::pmr::memory_resource& get() { return resource; }
    void end_pass() { resource.release(); }
};

constexpr variant all[] = {
    {"pmr", "new_delete", &run_pmr<new_delete_source>},
    {"pmr", "unsynchronized", &run_pmr<unsynchronized_source>},
    {"pmr", "synchronized", &run_pmr<synchronized_source>},
    {"pmr", "monotonic", &run_pmr<monotonic_source>},
    {"pmr-blocks", "new_delete", &run_pmr_blocks<new_delete_source>},
    {"pmr-blocks", "unsynchronized", &run_pmr_blocks<unsynchronized_source>},
    {"pmr-blocks", "synchronized", &run_pmr_blocks<synchronized_source>},
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
