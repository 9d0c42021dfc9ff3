// SPDX-License-Identifier: Apache-2.0
// A byte counts as written when one of its bits is.
// bytes: flags 103
#include <memory>
struct flags {
    unsigned low : 3 = 1;
    unsigned middle : 9; // member 2
    unsigned high : 20;  // member 3
    char text[100];      // member 100
};
auto make() {
    return std::make_unique<flags>(); // finds 103, fix
}
