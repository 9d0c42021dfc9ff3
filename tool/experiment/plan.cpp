// SPDX-License-Identifier: Apache-2.0
#include "plan.hpp"

#include <random>
#include <utility>

namespace linn::tool {

std::vector<cell> make_plan(std::size_t jobs, std::size_t rounds, std::uint64_t seed) {
    std::mt19937_64 random{seed};
    std::vector<cell> plan;
    plan.reserve(jobs * rounds);
    for (std::size_t r = 0; r != rounds; ++r) {
        const std::size_t begin = plan.size();
        for (std::size_t j = 0; j != jobs; ++j) {
            plan.push_back({r, j});
        }
        // Fisher and Yates; the bias of the remainder is below 2^-50 for any plan that ends in this century.
        for (std::size_t left = plan.size() - begin; left > 1; --left) {
            std::swap(plan[begin + left - 1], plan[begin + random() % left]);
        }
    }
    return plan;
}

} // namespace linn::tool
