// SPDX-License-Identifier: Apache-2.0
// bytes: header 72
#include <cstring>
#include <memory>
struct header {
    char name[64]; // member 64
    int size;      // member 4
    int kind;      // member 4
};
void use(const header&);
void send(const char* name, int size) {
    auto h = std::make_unique<header>(); // finds 72, fix
    std::memcpy(h->name, name, sizeof(h->name));
    h->size = size;
    h->kind = 1;
    use(*h);
}
