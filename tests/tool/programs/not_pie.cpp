// SPDX-License-Identifier: Apache-2.0
// A program at a fixed address that takes the address of malloc: the linker makes it an entry in the program, which a
// careless search takes for an allocator of the program's own.
#include <unistd.h>

#include <cstdlib>

void* (*volatile allocate)(std::size_t) = &std::malloc;

int main(int words, char**) {
    if (words > 1) {
        ::execl("/proc/self/exe", "once more", nullptr);
    }
    std::free(allocate(10));
}
