// SPDX-License-Identifier: Apache-2.0
// bytes: value 132
#include <memory>
struct value {
    struct inner_type {
        char text[128]; // member 128
        int length;     // member 4
    } inner;
    int kind = 0;
};
auto make() {
    return std::make_shared<value>(); // finds 132, note
}
