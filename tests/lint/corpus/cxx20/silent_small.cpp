// SPDX-License-Identifier: Apache-2.0
// bytes: point 24
#include <memory>
struct point {
    double x, y, z;
};
auto a = std::make_shared<point>();
point* b = new point();
int* c = new int();
char* d = new char[63]();
