// SPDX-License-Identifier: Apache-2.0
// A library with a memset of its own, which is not the program's.
#include <cstddef>

extern "C" void* memset(void* to, int value, std::size_t bytes) {
    for (std::size_t i = 0; i != bytes; ++i) {
        static_cast<volatile unsigned char*>(to)[i] = static_cast<unsigned char>(value);
    }
    return to;
}
