// SPDX-License-Identifier: Apache-2.0
// No make_unique_for_overwrite before C++20: reported, not fixed. And an atomic leaves its value alone.
#include <atomic>
#include <cstddef>
#include <memory>
struct line {
    char data[4096]; // member 4096
    int used = 0;
};
struct counters {
    std::atomic<int> values[1000]; // member 4000
    int used = 0;
};
auto make_line() {
    return std::make_unique<line>(); // finds 4096, no fix
}
auto make_counters() {
    return std::make_unique<counters>(); // finds 4000, no fix
}
auto bits(std::size_t n) {
    return std::make_unique<std::atomic<unsigned>[]>(n);
}
int use(std::size_t n) {
    auto p = std::make_unique<int[]>(n);
    return p[1]++;
}
