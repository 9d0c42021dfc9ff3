// SPDX-License-Identifier: Apache-2.0
// bytes: joint 8
#include <cstddef>
struct joint {
    double at[3] = {1, 2, 3};
    char kind;
    double limits[6] = {};
};
joint* make(std::size_t n) {
    return new joint[n]();
}
