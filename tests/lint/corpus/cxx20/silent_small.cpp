// SPDX-License-Identifier: Apache-2.0
// bytes: point 24
#include <memory>
struct point {
    double x, y, z;
};
auto a = std::make_shared<point>();
