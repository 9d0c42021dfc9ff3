// SPDX-License-Identifier: Apache-2.0
// bytes: line 128
#include <linn/pool.hpp>
struct line {
    char data[128]; // member 128
    int used = 0;
};
auto make() {
    return linn::pool<line>::create(); // finds 128, no fix
}
