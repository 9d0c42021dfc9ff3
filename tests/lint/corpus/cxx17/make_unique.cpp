// SPDX-License-Identifier: Apache-2.0
// No make_unique_for_overwrite before C++20: reported, not fixed.
#include <memory>
struct line {
    char data[4096]; // member 4096
    int used = 0;
};
auto make() {
    return std::make_unique<line>(); // finds 4096, no fix
}
