// SPDX-License-Identifier: Apache-2.0
// bytes: table 804
#include <memory>
struct table {
    double values[100]; // member 800
    int used = 0;
};
auto make() {
    using namespace std;
    return make_unique<table>(); // finds 804, fix
}
