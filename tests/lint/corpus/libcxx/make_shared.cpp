// SPDX-License-Identifier: Apache-2.0
// libc++ 19 has it, but does not define the macro that says so.
#include <memory>
struct line {
    char data[4096]; // member 4096
    int used = 0;
};
auto make() {
    return std::make_shared<line>(); // finds 4096, fix
}
