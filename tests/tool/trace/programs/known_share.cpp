// SPDX-License-Identifier: Apache-2.0
// Works for a known time between calls of the allocator of bump.cpp: known_share COUNT WORK THREADS [LINES]. Each round gets and releases
// a block of 64 and one of 96 bytes, which takes twice COST ticks, works for WORK ticks, and takes LINES lines of the caches.
#include "ticks.hpp"

#include <pthread.h>
#include <stdlib.h>

namespace {

unsigned long rounds = 0;
unsigned long work = 0;
unsigned long lines = 0;
char memory[8 << 20];

[[gnu::noinline]] void* small_block() {
    return malloc(64);
}
[[gnu::noinline]] void* large_block() {
    return malloc(96);
}

void* run(void*) {
    unsigned at = 1;
    for (unsigned long i = 0; i != rounds; ++i) {
        void* const a = small_block();
        void* const b = large_block();
        wait_ticks(work);
        for (unsigned long line = 0; line != lines; ++line) {
            at = at * 1664525 + 1013904223;
            ++memory[at % sizeof memory];
        }
        free(a);
        free(b);
    }
    return nullptr;
}

} // namespace

int main(int count, char** words) {
    if (count < 4) {
        return 2;
    }
    lines = count > 4 ? strtoul(words[4], nullptr, 10) : 0;
    rounds = strtoul(words[1], nullptr, 10);
    work = strtoul(words[2], nullptr, 10);
    pthread_t threads[8];
    const int more = atoi(words[3]) - 1;
    for (int i = 0; i < more; ++i) {
        pthread_create(&threads[i], nullptr, run, nullptr);
    }
    run(nullptr);
    for (int i = 0; i < more; ++i) {
        pthread_join(threads[i], nullptr);
    }
    return 0;
}
