// SPDX-License-Identifier: Apache-2.0
// Vectors that are members, or belong to somebody else.
#include <cstdint>
#include <cstring>
#include <vector>
class image {
public:
    void make(int width, int height) {
        width_ = width;
        pixels_.resize(width_ * height); // overwrites 1 each, no fix, removable
        for (int i = 0; i < width_ * height; ++i) {
            pixels_[i] = i;
        }
    }
    void only_some(int n) {
        pixels_.resize(n);
        pixels_[0] = 1;
    }

private:
    std::vector<std::uint8_t> pixels_;
    int width_ = 0;
};
struct planes {
    std::vector<float> luma, chroma;
};
void fill(planes& to, std::vector<float>& other, int n) {
    to.luma.resize(n); // overwrites 4 each, no fix, removable
    to.chroma.resize(n);
    other.assign(n, 0.0F); // overwrites 4 each, no fix, removable
    for (int i = 0; i < n; ++i) {
        to.luma[i] = i;
        other[i] = 2 * to.luma[i];
    }
}
