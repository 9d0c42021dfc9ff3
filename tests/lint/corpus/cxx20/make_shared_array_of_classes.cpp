// SPDX-License-Identifier: Apache-2.0
// bytes: cell 68
#include <memory>
struct cell {
    char text[64]; // member 64
    int row = 0;
    int column; // member 4
};
auto make(std::size_t n) {
    return std::make_shared<cell[]>(n); // finds 68 each, fix
}
