// SPDX-License-Identifier: Apache-2.0
// Works for a known time between calls of slow_allocator.cpp: known_share COUNT WORK THREADS. Each round gets and releases a block
// of 64 and one of 96 bytes, which takes twice COST ticks, and works for WORK ticks.
#include "ticks.hpp"

#include <pthread.h>
#include <stdlib.h>

namespace {

unsigned long rounds = 0;
unsigned long work = 0;

[[gnu::noinline]] void* small_block() {
    return malloc(64);
}
[[gnu::noinline]] void* large_block() {
    return malloc(96);
}

void* run(void*) {
    for (unsigned long i = 0; i != rounds; ++i) {
        void* const a = small_block();
        void* const b = large_block();
        wait_ticks(work);
        free(a);
        free(b);
    }
    return nullptr;
}

} // namespace

int main(int count, char** words) {
    if (count != 4) {
        return 2;
    }
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
