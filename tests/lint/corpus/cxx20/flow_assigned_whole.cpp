// SPDX-License-Identifier: Apache-2.0
// bytes: point 96
#include <memory>
struct point {
    double at[12]; // member 96
};
auto copy(const point& from) {
    auto p = std::make_unique<point>(); // finds 96, fix
    *p = from;
    return p;
}
