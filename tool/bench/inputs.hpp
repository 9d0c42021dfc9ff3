// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <random>

namespace linn::tool {

/// The integers of the published `unordered_set` measurement: a default-seeded `std::mt19937` through a
/// `std::uniform_int_distribution<int>` over every value of `int`.
class published_integers {
public:
    int operator()() { return distribution_(engine_); }

private:
    std::mt19937 engine_;
    std::uniform_int_distribution<int> distribution_{std::numeric_limits<int>::min(),
                                                     std::numeric_limits<int>::max()};
};

} // namespace linn::tool
