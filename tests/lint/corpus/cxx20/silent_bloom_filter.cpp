// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
unsigned char* filter(const std::size_t* hashes, std::size_t n, std::size_t bytes) {
    unsigned char* bits = new unsigned char[bytes]();
    for (std::size_t i = 0; i < n; ++i) {
        bits[hashes[i] / 8] |= static_cast<unsigned char>(1U << hashes[i] % 8);
    }
    return bits;
}
