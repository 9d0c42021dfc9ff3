// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <memory>
auto filter(const std::size_t* hashes, std::size_t n, std::size_t bytes) {
    auto bits = std::make_unique<unsigned char[]>(bytes);
    for (std::size_t i = 0; i < n; ++i) {
        bits[hashes[i] / 8] |= static_cast<unsigned char>(1U << hashes[i] % 8);
    }
    return bits;
}
