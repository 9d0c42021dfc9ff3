// SPDX-License-Identifier: Apache-2.0
// bytes: outer 500
#include <memory>
struct inner {
    inner() {
        count = 0;
        head[0] = 0;
        head[1] = 0;
    }
    int count;
    char head[2];
    char data[498];
};
struct outer {
    inner first; // member 498
    short id = 1;
    short reserved; // member 2
};
auto make() {
    return std::make_unique<outer>(); // finds 500, fix
}
