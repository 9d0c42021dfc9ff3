// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <memory>
void use(const char*);
void send(const char* text) {
    auto buffer = std::make_unique<char[]>(4096); // finds 4096, fix
    std::memcpy(buffer.get(), text, 4096);
    use(buffer.get());
}
