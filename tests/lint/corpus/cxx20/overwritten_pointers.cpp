// SPDX-License-Identifier: Apache-2.0
// Elements that are written through pointers and iterators into a vector.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>
float f(int);
std::vector<float> rows(int width, int height) {
    std::vector<float> v(width * height * 3); // overwrites 4 each, no fix, removable
    for (int y = 0; y < height; ++y) {
        float* row = v.data() + y * width * 3;
        for (int x = 0; x < width; ++x) {
            row[3 * x] = 1;
            row[3 * x + 1] = 2;
            row[3 * x + 2] = f(y);
        }
    }
    return v;
}
std::vector<float> iterators(int n) {
    std::vector<float> v(n); // overwrites 4 each, no fix, removable
    for (auto it = v.begin(); it != v.end(); ++it) {
        *it = f(1);
    }
    return v;
}
std::unique_ptr<float[]> heap(long n) {
    std::unique_ptr<float[]> v(new float[n]()); // finds 4 each, fix, removable
    for (int i = 0; i < static_cast<int>(n); ++i) {
        v[i] = f(i);
    }
    return v;
}
int** table_of_pointers(int n, int* to) {
    int** all = new int*[n](); // finds 8 each, fix, removable
    for (int i = 0; i < n; ++i) {
        all[i] = to + i;
    }
    return all;
}
