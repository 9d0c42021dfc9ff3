// SPDX-License-Identifier: Apache-2.0
// What a library's constructor leaves alone is not looked into: at least so many.
// bytes: entry >= 200
#include <memory>
#include <string>
struct entry {
    std::string name;
    char note[200]; // member 200
};
auto make() {
    return std::make_unique<entry>(); // finds 200, note
}
