// SPDX-License-Identifier: Apache-2.0
// bytes: value 4100
#include <memory>
struct value {
    int kind = 0;
    union { // member 4096
        double number;
        char text[4096];
    };
};
auto make() {
    return std::make_shared<value>(); // finds 4100, fix
}
