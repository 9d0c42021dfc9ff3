// SPDX-License-Identifier: Apache-2.0
#include "pmr.hpp"

#include <memory_resource>

namespace linn::tool::worker {
namespace {

struct new_delete_source {
    static std::pmr::memory_resource& get() { return *std::pmr::new_delete_resource(); }
    static void end_pass() {}
};

/// One a thread, because that is the only way to use it.
struct unsynchronized_source {
    std::pmr::unsynchronized_pool_resource resource;
    std::pmr::memory_resource& get() { return resource; }
    static void end_pass() {}
};

/// One for all threads.
struct synchronized_source {
    static std::pmr::memory_resource& get() {
        static auto& resource = *new std::pmr::synchronized_pool_resource;
        return resource;
    }
    static void end_pass() {}
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
};

} // namespace

std::span<const variant> pmr_standard() {
    return all;
}

} // namespace linn::tool::worker
