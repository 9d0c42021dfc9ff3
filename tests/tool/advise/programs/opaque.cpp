// SPDX-License-Identifier: Apache-2.0
// A library that is linked without symbols: nothing is known of its blocks but whose they are.
#include <cstdlib>

extern "C" void* make_opaque();
extern "C" void free_opaque(void* block);

namespace {

[[gnu::noinline]] void* make(std::size_t bytes) {
    void* const block = std::malloc(bytes);
    asm volatile("" : : "r"(block) : "memory");
    return block;
}

} // namespace

void* make_opaque() {
    void* const block = make(72);
    asm volatile("" : : "r"(block) : "memory");
    return block;
}

void free_opaque(void* block) {
    std::free(block);
}
