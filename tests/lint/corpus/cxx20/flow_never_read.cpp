// SPDX-License-Identifier: Apache-2.0
#include <memory>
void touch() {
    auto p = std::make_unique<char[]>(4096); // finds 4096, fix
    if (p == nullptr) {
        return;
    }
}
