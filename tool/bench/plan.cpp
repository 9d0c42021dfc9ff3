// SPDX-License-Identifier: Apache-2.0
#include "plan.hpp"

#include <random>
#include <utility>

namespace linn::tool {

std::vector<cell> make_plan(std::size_t contenders, std::size_t scenarios, std::size_t rounds,
                            std::uint64_t seed) {
    std::mt19937_64 random{seed};
    std::vector<cell> plan;
    plan.reserve(contenders * scenarios * rounds);
    for (std::size_t r = 0; r != rounds; ++r) {
        const std::size_t begin = plan.size();
        for (std::size_t s = 0; s != scenarios; ++s)
            for (std::size_t c = 0; c != contenders; ++c)
                plan.push_back({r, c, s});
        // Fisher and Yates; the bias of the remainder is below 2^-50 for any plan that ends in this century.
        for (std::size_t left = plan.size() - begin; left > 1; --left)
            std::swap(plan[begin + left - 1], plan[begin + random() % left]);
    }
    return plan;
}

} // namespace linn::tool
