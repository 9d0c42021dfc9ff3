// SPDX-License-Identifier: Apache-2.0
// A vector whose elements are not filled with zeros before they are written.
#include <linn/default_init_allocator.hpp>

#include <cstddef>
#include <cstdio>
#include <vector>

// [vector]
template <class T>
using plain_vector = std::vector<T, linn::default_init_allocator<T>>;

plain_vector<float> ramp(std::size_t columns, std::size_t rows) {
    plain_vector<float> image(columns * rows); // writes nothing; std::vector<float> would write zeros
    for (std::size_t y = 0; y < rows; ++y) {
        for (std::size_t x = 0; x < columns; ++x) {
            image[y * columns + x] = static_cast<float>(x + y);
        }
    }
    return image;
}
// [/vector]

int main() {
    const plain_vector<float> image = ramp(4, 3);
    std::printf("%zu pixels, the last is %.0f\n", image.size(), static_cast<double>(image.back()));
    const plain_vector<float> ones(3, 1.0F); // with a value: as ever
    std::printf("%.0f %.0f %.0f\n", static_cast<double>(ones[0]), static_cast<double>(ones[1]),
                static_cast<double>(ones[2]));
}
