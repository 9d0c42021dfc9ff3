// SPDX-License-Identifier: Apache-2.0
// No constructor here, and the member's leaves its bytes alone: invisible to const-default-constructibility.
// bytes: outer 2048
#include <memory>
struct inner {
    inner() {}
    char data[2048];
};
struct outer {
    inner first; // member 2048
    int count = 0;
};
auto make() {
    return std::make_shared<outer>(); // finds 2048, fix
}
