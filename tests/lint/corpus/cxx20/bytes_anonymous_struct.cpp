// SPDX-License-Identifier: Apache-2.0
// bytes: value 132
#include <memory>
struct value {
    struct inner_type {
        char text[128];
        int length;
    } inner; // member 132
    int kind = 0;
};
auto make() {
    return std::make_shared<value>(); // finds 132, fix
}
