// SPDX-License-Identifier: Apache-2.0
#include "pmr.hpp"

#include <linn/memory_resource.hpp>

namespace linn::tool::worker {
namespace {

/// One for all threads.
struct linn_source {
    static std::pmr::memory_resource& get() {
        static auto& resource = *new linn::pool_resource;
        return resource;
    }
    static void end_pass() {}
};

constexpr variant all[] = {
    {"pmr", "linn_pool_resource", &run_pmr<linn_source>},
};

} // namespace

std::span<const variant> pmr_linn() {
    return all;
}

} // namespace linn::tool::worker
