// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace linn::tool {

/// As `std::stable_sort`, which with libstdc++ 12 is a deprecation warning to Clang: the place decides among equals.
/// @complexity n log n comparisons, two for each step
template <class T, class Less>
void sort_stably(std::vector<T>& values, Less less) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        if (less(values[a], values[b])) {
            return true;
        }
        return !less(values[b], values[a]) && a < b;
    });
    std::vector<T> sorted;
    sorted.reserve(values.size());
    for (const std::size_t place : order) {
        sorted.push_back(std::move(values[place]));
    }
    values = std::move(sorted);
}

} // namespace linn::tool
