// SPDX-License-Identifier: Apache-2.0
// bytes: tagged 100
#include <memory>
struct tag {};
struct tagged : tag {
    char text[100]; // member 100
};
auto make() {
    return std::make_unique<tagged>(); // finds 100, note
}
