// SPDX-License-Identifier: Apache-2.0
// bytes: value 4092
#include <memory>
struct value {
    union { // member 4092
        int number = 0;
        char text[4096];
    };
};
auto make() {
    return std::make_shared<value>(); // finds 4092, note
}
