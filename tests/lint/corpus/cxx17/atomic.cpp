// SPDX-License-Identifier: Apache-2.0
// Before C++20 an atomic leaves its value alone.
#include <atomic>
#include <memory>
struct counters {
    std::atomic<int> values[1000]; // member 4000
    int used = 0;
};
auto make() {
    return std::make_unique<counters>(); // finds 4000, no fix
}
