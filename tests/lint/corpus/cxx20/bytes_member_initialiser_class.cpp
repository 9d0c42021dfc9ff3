// SPDX-License-Identifier: Apache-2.0
// bytes: outer 1024
#include <memory>
struct inner {
    inner() {}
    explicit inner(int n) : size(n) {}
    char data[1024];
    int size = 0;
};
struct outer {
    inner first{3}; // member 1024
    int version = 1;
};
auto make() {
    return std::make_unique<outer>(); // finds 1024, fix
}
