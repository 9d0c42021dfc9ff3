// SPDX-License-Identifier: Apache-2.0
// `using std::make_unique;` does not bring the other name with it.
// bytes: table 804
#include <memory>
using std::make_unique;
struct table {
    double values[100]; // member 800
    int used = 0;
};
auto make() {
    return make_unique<table>(); // finds 804, fix
}
