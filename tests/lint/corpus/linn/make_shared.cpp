// SPDX-License-Identifier: Apache-2.0
// bytes: line 128
#include <linn/memory.hpp>
struct line {
    char data[128]; // member 128
    int used = 0;
};
auto make() {
    return linn::make_shared<line>(); // finds 128, fix
}
