// SPDX-License-Identifier: Apache-2.0
#include "containers.hpp"

#include <list>
#include <map>
#include <unordered_set>

namespace linn::bench::containers {
namespace {

struct standard {
    std::unordered_set<int> make_unordered_set() { return {}; }
    std::map<int, int> make_map() { return {}; }
    std::list<int> make_list() { return {}; }
};

} // namespace

void run_general(sampler& s) {
    measure<standard>(s);
}

} // namespace linn::bench::containers
