// SPDX-License-Identifier: Apache-2.0
#include "shuffled.hpp"

#include <map>
#include <memory_resource>
#include <unordered_set>

namespace linn::tool::worker {
namespace {

struct standard {
    static std::unordered_set<int> unordered_set() { return {}; }
    static std::map<int, int> map() { return {}; }
    static std::list<int> list() { return {}; }
};

/// One resource for all containers of the process, which are all of one type: the best case of the standard pools.
struct polymorphic {
    static std::pmr::memory_resource* resource() {
        static auto& all = *new std::pmr::unsynchronized_pool_resource;
        return &all;
    }

    static std::pmr::unordered_set<int> unordered_set() { return std::pmr::unordered_set<int>{resource()}; }
    static std::pmr::map<int, int> map() { return std::pmr::map<int, int>{resource()}; }
    static std::pmr::list<int> list() { return std::pmr::list<int>{resource()}; }
};

constexpr variant all[] = {
    {"containers-shuffled", "general", &run_shuffled<standard>},
    {"containers-shuffled", "pmr_unsynchronized", &run_shuffled<polymorphic>},
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
