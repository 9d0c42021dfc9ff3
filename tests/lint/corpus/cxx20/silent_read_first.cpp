// SPDX-License-Identifier: Apache-2.0
#include <memory>
int look(std::size_t n, std::size_t at) {
    auto all = std::make_unique<int[]>(n);
    all[0] = 1;
    return all[at];
}
