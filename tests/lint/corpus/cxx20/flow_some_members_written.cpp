// SPDX-License-Identifier: Apache-2.0
// bytes: header 72
#include <memory>
struct header {
    char name[64]; // member 64
    int size;      // member 4
    int kind;      // member 4
};
void use(const header&);
void send(int size) {
    auto h = std::make_unique<header>(); // finds 72, note
    h->size = size;
    use(*h);
}
