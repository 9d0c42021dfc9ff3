// SPDX-License-Identifier: Apache-2.0
#include <memory>
int sum(std::size_t n) {
    auto owner = std::make_unique<int[]>(n);
    int* p = owner.get();
    p[3]++;
    return p[3];
}
