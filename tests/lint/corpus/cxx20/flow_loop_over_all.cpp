// SPDX-License-Identifier: Apache-2.0
#include <memory>
auto squares(std::size_t n) {
    auto all = std::make_unique<std::size_t[]>(n); // finds 8 each, fix
    for (std::size_t i = 0; i < n; ++i) {
        all[i] = i * i;
    }
    return all;
}
