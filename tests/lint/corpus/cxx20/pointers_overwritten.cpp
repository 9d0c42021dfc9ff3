// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <memory>
auto copy(int* const* from, std::size_t n) {
    auto all = std::make_unique<int*[]>(n); // finds 8 each, fix
    std::memcpy(all.get(), from, n * sizeof(int*));
    return all;
}
