// SPDX-License-Identifier: Apache-2.0
// bytes: block 4096
#include <array>
#include <memory>
struct block {
    std::array<char, 4096> bytes; // member 4096
    int used = 0;
};
auto make() {
    return std::make_unique<block>(); // finds 4096, fix
}
