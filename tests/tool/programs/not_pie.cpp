// SPDX-License-Identifier: Apache-2.0
// A program at a fixed address that takes the address of malloc: the linker makes it an entry in the program, which a
// careless search takes for an allocator of the program's own.
#include <cstdlib>

void* (*volatile allocate)(std::size_t) = &std::malloc;

int main() {
    std::free(allocate(10));
}
