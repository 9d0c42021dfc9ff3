// SPDX-License-Identifier: Apache-2.0
// bytes: derived 204
#include <memory>
struct base {
    char head[100]; // member 100
};
struct second {
    second() {}
    char body[104];
};
struct derived : base, second {
    int count = 0;
};
auto make() {
    return std::make_unique<derived>(); // finds 204, note
}
