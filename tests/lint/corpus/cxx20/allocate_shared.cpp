// SPDX-License-Identifier: Apache-2.0
// bytes: page 4096
#include <memory>
struct page {
    char data[4096]; // member 4096
    int pins = 0;
};
auto make(const std::allocator<page>& memory) {
    return std::allocate_shared<page>(memory); // finds 4096, fix
}
