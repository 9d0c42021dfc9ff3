// SPDX-License-Identifier: Apache-2.0
#include "shuffled.hpp"

#include <linn/containers.hpp>

namespace linn::tool::worker {
namespace {

struct pooled_containers {
    static linn::unordered_set<int> unordered_set() { return {}; }
    static linn::map<int, int> map() { return {}; }
    static linn::list<int> list() { return {}; }
};

constexpr variant all[] = {
    {"containers-shuffled", "linn", &run_shuffled<pooled_containers>},
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
