// SPDX-License-Identifier: Apache-2.0
// A program with an allocator of its own compiled in, which libraries use as well: no preload replaces it.
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace {
alignas(16) char arena[1 << 20];
std::size_t used = 0;
} // namespace

extern "C" void* malloc(std::size_t size) {
    used = (used + size + 31) & ~std::size_t{15};
    return used > sizeof arena ? nullptr : arena + used - ((size + 15) & ~std::size_t{15});
}
extern "C" void free(void*) {}
extern "C" void* calloc(std::size_t n, std::size_t size) {
    void* const p = malloc(n * size);
    return p == nullptr ? p : std::memset(p, 0, n * size);
}
extern "C" void* realloc(void* old, std::size_t size) {
    void* const p = malloc(size);
    return p == nullptr || old == nullptr ? p : std::memmove(p, old, size);
}

int main() {
    char* const copy = strdup("x");
    return copy == nullptr;
}
