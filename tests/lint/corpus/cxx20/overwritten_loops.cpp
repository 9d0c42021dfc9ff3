// SPDX-License-Identifier: Apache-2.0
// Loops that write every element of a vector, however they count.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>
float f(int);
void use(const std::vector<float>&);
std::vector<float> plain(int n) {
    std::vector<float> v(n);      // overwrites 4 each, no fix, removable
    for (int i = 0; i < n; ++i) { // writer
        v[i] = f(i);
    }
    return v;
}
std::vector<float> cast_and_size(long n) {
    std::vector<float> v(static_cast<std::size_t>(n)); // overwrites 4 each, no fix, removable
    for (std::size_t i = 0; i != v.size(); ++i) {
        v.at(i) = f(1);
    }
    return v;
}
std::vector<float> both_branches(int n) {
    std::vector<float> v(n); // overwrites 4 each, no fix, removable
    for (int i = 0; i < n; ++i) {
        if (i % 2 == 0) {
            v[i] = 1;
        } else {
            v[i] = i % 3 == 0 ? f(1) : f(2);
        }
        v[i] += 1;
    }
    return v;
}
std::vector<float> range(int n) {
    std::vector<float> v(n); // overwrites 4 each, no fix, removable
    for (float& x : v) {
        x = f(1);
    }
    return v;
}
void row_by_row(int width, int height) {
    std::vector<float> row(width); // overwrites 4 each, no fix, removable
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            row[x] = f(x * y);
        }
        use(row);
    }
}
struct pixel {
    float r, g, b;
    char kind; // and three bytes that nobody writes
};
std::vector<pixel> members(int n) {
    std::vector<pixel> v(n); // overwrites 16 each, no fix, removable
    for (int i = 0; i < n; ++i) {
        v[i].r = v[i].g = v[i].b = f(i);
        v[i].kind = 'p';
    }
    return v;
}
std::unique_ptr<float[]> heap(long n) {
    auto v = std::make_unique<float[]>(n); // finds 4 each, fix, removable
    for (int i = 0; i < static_cast<int>(n); ++i) {
        v[i] = f(i);
    }
    return v;
}
