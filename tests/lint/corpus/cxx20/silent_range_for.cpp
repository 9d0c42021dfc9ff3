// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <memory>
int sum() {
    auto all = std::make_unique<std::array<int, 100>>();
    int result = 0;
    for (const int one : *all) {
        result += one;
    }
    return result;
}
