// SPDX-License-Identifier: Apache-2.0
#include "containers.hpp"

#include <linn/containers.hpp>

namespace linn::bench::containers {
namespace {

struct ours {
    linn::unordered_set<int> make_unordered_set() { return {}; }
    linn::map<int, int> make_map() { return {}; }
    linn::list<int> make_list() { return {}; }
};

} // namespace

void run_linn(sampler& s) {
    measure<ours>(s);
}

} // namespace linn::bench::containers
