// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
int* make(std::size_t n) {
    return new int[n]{}; // finds 4 each, note
}
