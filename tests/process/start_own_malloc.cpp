// SPDX-License-Identifier: Apache-2.0
// Promise: a program's own malloc may take blocks from a pool, in each of its threads and from the first call on.
//
// Breaks when a pool, at its first use in a thread, calls malloc before it has noted that it does.
#include "process.hpp"

#if !defined(__GLIBC__) || defined(LINN_TEST_ASAN) || defined(LINN_TEST_TSAN)
int main() {
    return linn_test::skip("the program cannot have a malloc of its own");
}
#else

#include <linn/pool.hpp>

namespace {

struct alignas(16) large_block {
    char bytes[4096];
};
using pool = linn::pool<large_block>;

bool is_large(std::size_t size) {
    return size > 2048 && size <= sizeof(large_block);
}

} // namespace

extern "C" {
void* __libc_malloc(std::size_t size);
void __libc_free(void* block);

void* malloc(std::size_t size) {
    return is_large(size) ? pool::try_allocate() : __libc_malloc(size);
}
void free(void* block) {
    if (block != nullptr && pool::owns(block)) {
        pool::deallocate(static_cast<large_block*>(block));
    } else {
        __libc_free(block);
    }
}
}

int main() {
    const auto use = [] {
        void* volatile block = std::malloc(3000);
        CHECK(pool::owns(block));
        std::memset(block, 1, 3000);
        std::free(block);
    };
    use();
    std::thread{use}.join();
    CHECK(pool::statistics().live == 0);
    linn_test::say("served\n");
}
#endif
