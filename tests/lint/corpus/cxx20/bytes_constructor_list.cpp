// SPDX-License-Identifier: Apache-2.0
// Of a member with a constructor count the members that it leaves out.
// bytes: outer 500
#include <memory>
struct inner {
    inner() : count(0), head{} {}
    int count;
    char head[32];
    char data[500];
};
struct outer {
    inner first; // member 500
};
auto make() {
    return std::make_unique<outer>(); // finds 500, fix
}
