// SPDX-License-Identifier: Apache-2.0
// Promise: a program's own pthread_atfork handlers may use pools and buffers, in all three phases, whether they
// were registered before or after the first use of a pool, and may be that first use themselves.
//
// The child may use default_pool_resource(), and pools, resources and numbers of threads for the first time, even if a thread
// that does not come along was in the middle of that.
//
// Breaks when the pool's own handlers hold its locks while the program's run: a deadlock, which the
// alarm turns into a failure. Calls are counted, so handlers that did not run do not pass. Or when that thread makes a variable
// under a guard of the compiler's, and waits there for a lock that the fork holds: the child inherits the guard as
// "in progress", and waits for a thread that does not exist.
// Not parts.hpp, whose recycler is filled before main: the library's handlers would be the first.
#include "busy_threads.hpp"

#include <linn/linn.hpp>

#include <pthread.h>

namespace {

struct item {
    long words[5];
};
struct first_used_in_a_handler {
    long words[50];
};

int calls = 0;

void use_pools() {
    std::vector<item*> objects;
    for (int i = 0; i < 1000; ++i) {
        objects.push_back(linn::pool<item>::create());
    }
    for (item* object : objects) {
        linn::pool<item>::destroy(object);
    }
    linn::list<int> list{1, 2, 3};
    linn::pool<first_used_in_a_handler>::destroy(linn::pool<first_used_in_a_handler>::create());
    CHECK(linn::pool<first_used_in_a_handler>::statistics().live == 0);
    linn::pool<item>::trim();
    static linn::buffer_pool buffers{64 * linn_test::kib};
    CHECK(buffers.try_acquire());
    linn::buffer_pool{64 * linn_test::kib}.acquire().reset();
    ++calls;
}

void register_handlers() {
    CHECK(pthread_atfork(&use_pools, &use_pools, &use_pools) == 0);
}

void use_a_pool() {
    linn::pool<item>::destroy(linn::pool<item>::create());
}

/// Forks `times` times, and expects `handlers` calls in each phase.
void fork_and_check(int times, int handlers) {
    for (int i = 0; i < times; ++i) {
        calls = 0;
        const ::pid_t pid = ::fork();
        CHECK(pid >= 0);
        CHECK(calls == 2 * handlers); // prepare, then either parent or child
        use_pools();
        if (pid == 0) {
            ::alarm(20 * linn_test::slowdown);
            for (std::size_t more = linn_test::scaled(100); more != 0; --more) {
                use_pools();
            }
            CHECK(linn::leak_report().empty());
            ::_exit(0);
        }
        int status = 0;
        CHECK(::waitpid(pid, &status, 0) == pid);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    linn_test::say("forked\n");
}

void expect(const char* what, void (*body)()) {
    const auto child = linn_test::run_child(body, 30);
    child.expect(child.exited_with(0) && child.says("forked"), what);
}

std::atomic<bool> stopped{false};

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

/// Forks while a thread does it for the first time, when the locks of the library are held.
void check_first_use(const char* what, void (*first_use)()) {
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
    check_first_use("default_pool_resource", &use_default_resource);
    check_first_use("a static pool_resource", &use_own_resource);
    check_first_use("a pool", &use_a_pool);
    expect("registered before the first use", [] {
        register_handlers();
        use_a_pool();
        fork_and_check(20, 1);
    });
    expect("registered after the first use", [] {
        use_a_pool();
        register_handlers();
        fork_and_check(20, 1);
    });
    expect("registered before and after", [] {
        register_handlers();
        use_a_pool();
        register_handlers();
        fork_and_check(20, 2);
    });
    expect("a handler is the first use", [] {
        register_handlers();
        fork_and_check(5, 1);
    });
    expect("while other threads work", [] {
        register_handlers();
        use_a_pool();
        register_handlers();
        linn_test::busy_threads threads;
        for (int t = 0; t < 2; ++t) {
            threads.start([&] {
                while (threads.goes_on()) {
                    use_a_pool();
                    linn::pool<item>::trim();
                    threads.worked();
                }
            });
        }
        threads.fork(20, 20, 1, use_pools);
        threads.join();
        CHECK(calls >= 80);
        linn_test::say("forked\n");
    });
}
