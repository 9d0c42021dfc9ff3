// SPDX-License-Identifier: Apache-2.0
// Before C++20 an atomic leaves its value alone.
#include <atomic>
struct counters {
    std::atomic<int> values[1000]; // member 4000
    int used = 0;
};
counters* make() {
    return new counters(); // finds 4000, fix
}
