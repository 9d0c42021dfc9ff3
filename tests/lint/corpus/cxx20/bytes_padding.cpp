// SPDX-License-Identifier: Apache-2.0
// bytes: padded 76
#include <memory>
struct padded {
    char first; // member 1
    int number = 1;
    char text[70]; // member 70
    short last;    // member 2
};
auto make() {
    return std::make_shared<padded>(); // finds 76, fix
}
