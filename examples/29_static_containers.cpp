// SPDX-License-Identifier: Apache-2.0
// The trap of thread_local pools: a container at namespace scope is destroyed after the pool that its nodes
// lie in, since thread-local objects of the main thread go first. A pool of Linn is never destroyed.
#include <linn/containers.hpp>
#include <linn/statistics.hpp>

#include <cstdio>
#include <thread>

// [order]
struct last_word { // made first, so destroyed last
    ~last_word() {
        std::printf("at the very end: %s\n", linn::leak_report().empty() ? "nothing alive" : "leak");
    }
};
const last_word report_at_exit;

linn::unordered_set<int> seen; // made before main, destroyed after main's thread-local objects

struct farewell {
    ~farewell() { std::printf("thread-local objects go, %zu numbers alive\n", seen.size()); }
    void arm() {}
};
thread_local farewell at_thread_exit;

int main() {
    at_thread_exit.arm();
    std::thread{[] {
        for (int i = 0; i < 1000; ++i) {
            seen.insert(i); // by a thread that is gone when the nodes are freed
        }
    }}.join();
    std::printf("main ends\n");
}
// [/order]
