// SPDX-License-Identifier: Apache-2.0
#include <memory>
int use(std::size_t n) {
    auto p = std::make_unique<int[]>(n);
    return p[1]++;
}
