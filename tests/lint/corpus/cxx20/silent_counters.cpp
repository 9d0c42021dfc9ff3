// SPDX-License-Identifier: Apache-2.0
#include <memory>
std::unique_ptr<int[]> count(const unsigned char* text, std::size_t n) {
    auto counts = std::make_unique<int[]>(256);
    for (std::size_t i = 0; i < n; ++i) {
        ++counts[text[i]];
    }
    return counts;
}
