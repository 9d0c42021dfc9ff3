// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstddef>
#include <memory>
auto bits(std::size_t n) {
    return std::make_unique<std::atomic<unsigned>[]>(n);
}
int use(std::size_t n) {
    auto p = std::make_unique<int[]>(n);
    return p[1]++;
}
