// SPDX-License-Identifier: Apache-2.0
// Allocates and releases as programs do, some thousand blocks live and the oldest released first, and writes what a call
// took in nanoseconds of its own CPU time to the descriptor given: linn record runs it with the recorder and without.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

namespace {

constexpr unsigned live = 4096;
constexpr unsigned pairs = 250'000;

void* blocks[live];

double cpu_ns() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

/// Replaces one block by another.
void replace(unsigned i) {
    void*& place = blocks[i % live];
    free(place);
    place = malloc(16 + i % 8 * 16);
}

void run(unsigned count) {
    for (unsigned i = 0; i != count; ++i) {
        replace(i);
    }
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        return 2;
    }
    run(2 * live);
    const double start = cpu_ns();
    run(pairs);
    const double each = (cpu_ns() - start) / (2.0 * pairs);
    char text[64];
    const int size = snprintf(text, sizeof text, "%.4f\n", each);
    return write(atoi(argv[1]), text, static_cast<size_t>(size)) == size ? 0 : 1;
}
