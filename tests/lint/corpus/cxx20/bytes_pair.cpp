// SPDX-License-Identifier: Apache-2.0
// std::pair initialises both.
// bytes: entry 100
#include <array>
#include <memory>
#include <utility>
struct entry {
    std::pair<int, std::array<char, 100>> value;
    char note[100]; // member 100
};
auto make() {
    return std::make_unique<entry>(); // finds 100, note
}
