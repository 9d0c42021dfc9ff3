// SPDX-License-Identifier: Apache-2.0
// bytes: many 1400
#include <memory>
struct many {
    int version = 1;
    char b[200]; // member 200
    char c[300]; // member 300
    char a[100];
    char e[500]; // member 500
    char d[250]; // member 250
    char f[50];
};
auto make() {
    return std::make_unique<many>(); // finds 1400, fix
}
