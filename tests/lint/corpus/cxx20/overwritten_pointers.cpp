// SPDX-License-Identifier: Apache-2.0
// Elements that are written through pointers and iterators into a vector.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>
float f(int);
std::unique_ptr<float[]> heap(long n) {
    auto v = std::make_unique<float[]>(n); // finds 4 each, fix, removable
    for (int i = 0; i < static_cast<int>(n); ++i) {
        v[i] = f(i);
    }
    return v;
}
