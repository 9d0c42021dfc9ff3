// SPDX-License-Identifier: Apache-2.0
// bytes: joint 8
#include <cstddef>
#include <memory>
struct joint {
    double at[3] = {1, 2, 3};
    char kind;
    double limits[6] = {};
};
auto make(std::size_t n) {
    return std::make_unique<joint[]>(n);
}
