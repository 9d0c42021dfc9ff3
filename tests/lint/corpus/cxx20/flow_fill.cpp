// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
auto ones(std::size_t n) {
    auto all = std::make_unique<int[]>(n); // finds 4 each, fix
    std::fill_n(all.get(), n, 1);
    return all;
}
auto twos(std::size_t n) {
    int* all = new int[n](); // finds 4 each, fix
    std::fill(all, all + n, 2);
    return all;
}
