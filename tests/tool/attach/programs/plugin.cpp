// SPDX-License-Identifier: Apache-2.0
// A library that a program loads after linn has attached to it. Its constructor allocates too.
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

void keep(void* block) {
    asm volatile("" : : "r"(block) : "memory");
}

void pair(std::size_t size) {
    void* const block = std::malloc(size);
    keep(block);
    std::free(block);
}

__attribute__((constructor)) void begin() {
    pair(300'001);
}
__attribute__((destructor)) void end() {
    pair(300'002);
}

} // namespace

extern "C" __attribute__((visibility("default"))) void act(int count) {
    for (int i = 0; i != count; ++i) {
        pair(300'003);
        keep(::strdup(std::string(300'004, 'x').c_str()));
    }
}
