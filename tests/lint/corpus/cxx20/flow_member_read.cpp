// SPDX-License-Identifier: Apache-2.0
// bytes: state 1004
#include <memory>
struct state {
    char text[1000]; // member 1000
    int count;       // member 4
    int id = 1;
};
auto make() {
    auto s = std::make_shared<state>(); // finds 1004, no fix
    s->count += 2;
    return s;
}
