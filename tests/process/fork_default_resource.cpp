// SPDX-License-Identifier: Apache-2.0
// Promise: the child of a fork may use default_pool_resource(), and pools, resources and numbers of threads for the first time,
// whatever a thread that does not come along was in the middle of.
//
// Breaks when that thread makes a variable under a guard of the compiler's, and waits there for a lock that the fork holds: the
// child inherits the guard as "in progress", and waits for a thread that does not exist.
#include "process.hpp"

#include <linn/linn.hpp>

#include <pthread.h>

namespace {

std::atomic<bool> stopped{false};

struct item {
    long words[3];
};

void use_default_resource() {
    void* p = linn::default_pool_resource()->allocate(64);
    linn::default_pool_resource()->deallocate(p, 64);
}
/// A resource of the program's own in a guarded variable, which the library cannot prevent: making it waits for nothing.
void use_own_resource() {
    static linn::pool_resource own;
    void* p = own.allocate(64);
    own.deallocate(p, 64);
}
void use_pool() {
    linn::pool<item>::destroy(linn::pool<item>::create());
}

/// Forks while a thread does it for the first time, when the locks of the library are held.
void check(const char* what, void (*first_use)()) {
    const auto child = linn_test::run_child([&] {
        // Registered before the library's handlers, so run after them, with every lock held.
        CHECK(::pthread_atfork(
                  [] {
                      stopped = true;
                      std::this_thread::sleep_for(std::chrono::milliseconds{50});
                  },
                  nullptr, nullptr) == 0);
        linn::pool_resource other; // installs them
        other.deallocate(other.allocate(64), 64);
        std::atomic<bool> forked{false};
        std::thread thread{[&] {
            linn_test::wait_until(stopped);
            first_use();
            linn_test::wait_until(forked); // ThreadSanitizer would take it for lost in the child
        }};
        linn_test::check_forked(first_use);
        forked = true;
        thread.join();
        first_use();
    });
    child.expect_success(what);
}

} // namespace

int main() {
    check("default_pool_resource", &use_default_resource);
    check("a static pool_resource", &use_own_resource);
    check("a pool", &use_pool);
}
