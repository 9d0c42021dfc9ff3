// SPDX-License-Identifier: Apache-2.0
// bytes: header 72
#include <memory>
struct header {
    char name[64];
    int size;
    int kind;
};
void use(const header&);
void send(int size) {
    auto h = std::make_unique<header>();
    h->size = size;
    use(*h);
}
