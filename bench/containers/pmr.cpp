// SPDX-License-Identifier: Apache-2.0
#include "containers.hpp"

#include <list>
#include <map>
#include <memory_resource>
#include <unordered_set>

namespace linn::bench::containers {
namespace {

/// One resource a container, which is the best case of the standard pools.
struct polymorphic {
    std::pmr::unsynchronized_pool_resource resource;

    std::pmr::unordered_set<int> make_unordered_set() { return std::pmr::unordered_set<int>{&resource}; }
    std::pmr::map<int, int> make_map() { return std::pmr::map<int, int>{&resource}; }
    std::pmr::list<int> make_list() { return std::pmr::list<int>{&resource}; }
};

} // namespace

void run_pmr(sampler& s) {
    measure<polymorphic>(s);
}

} // namespace linn::bench::containers
