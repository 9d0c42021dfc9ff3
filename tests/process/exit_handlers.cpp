// SPDX-License-Identifier: Apache-2.0
// Promise: allocation and free work inside atexit handlers and static destructors, after the main
// thread's caches are gone, and even when the first use of a pool happens there. Detached threads may go on while the process
// exits.
//
// Breaks when a pool is an object with a destructor, or its cache a thread_local with one: what runs
// later would use the dead. Each scenario is a process of its own, so its "first use" is a first
// use, and each ends by writing a word from the very last place, which the parent looks for: a
// handler that never ran fails the test.
#include "process.hpp"

#include <linn/linn.hpp>

namespace {

struct item {
    long words[6];
};
struct late_item { // first used by threads when exit() has begun
    long words[7];
};

void (*at_static_destruction)() = nullptr;

/// Constructed before everything in this file, so destroyed after everything.
struct last_of_all {
    ~last_of_all() {
        if (at_static_destruction != nullptr) {
            at_static_destruction();
        }
    }
} last;

std::vector<item*>* kept = nullptr;

template <class T>
void work() {
    const std::size_t before = linn::pool<T>::statistics().live;
    std::vector<T*> objects;
    for (int i = 0; i < 3000; ++i) {
        objects.push_back(linn::pool<T>::create());
    }
    for (T* object : objects) {
        linn::pool<T>::destroy(object);
    }
    CHECK(linn::pool<T>::statistics().live == before);
}

void work_and_say() {
    work<item>();
    linn::list<int> numbers{1, 2, 3};
    numbers.clear();
    linn_test::say("worked\n");
}

void free_kept_and_say() {
    CHECK(linn::pool<item>::statistics().live == kept->size());
    for (item* object : *kept) {
        linn::pool<item>::destroy(object);
    }
    delete kept;
    kept = nullptr;
    work_and_say();
}

void keep() {
    kept = new std::vector<item*>;
    for (int i = 0; i < 1000; ++i) {
        kept->push_back(linn::pool<item>::create());
    }
}

/// In a thread, first ever, while the process is on its way out.
void thread_at_exit() {
    std::thread{&work<item>}.join();
    linn_test::say("worked\n");
}

// --- detached threads: a static object that is destroyed last waits until each has done much more work after exit() began ---

constexpr std::size_t detached = 3;
std::array<std::atomic<std::size_t>, detached> rounds{};
std::atomic<bool> exiting{false};
std::atomic<item*> passed{nullptr};

void never_ends(std::size_t me) {
    for (;;) {
        item* objects[100];
        for (item*& object : objects) {
            object = linn::pool<item>::create();
        }
        for (item*& object : objects) {
            linn::pool<item>::destroy(passed.exchange(object)); // so that most are freed by another thread
        }
        if (exiting) {
            linn::pool<late_item>::destroy(linn::pool<late_item>::create());
            // A thread that has ended but is not joined yet at exit is a leak to ThreadSanitizer.
            if constexpr (!linn_test::tsan) {
                std::thread{[] { linn::pool<item>::destroy(linn::pool<item>::create()); }}.join();
            }
        }
        rounds[me].fetch_add(1);
    }
}

void await_rounds(std::size_t more) {
    for (auto& r : rounds) {
        const std::size_t then = r.load();
        linn_test::wait_until([&] { return r.load() >= then + more; });
    }
}

void exit_with_detached_threads() {
    for (std::size_t t = 0; t < detached; ++t) {
        std::thread{&never_ends, t}.detach();
    }
    await_rounds(10);
    exiting = true;
    at_static_destruction = [] {
        await_rounds(50);
        linn_test::say("worked\n");
    };
}

void expect_work(const char* what, void (*body)()) {
    const linn_test::child_result child = linn_test::run_child(body);
    child.expect(child.exited_with(0) && child.error == "worked\n", what);
}

} // namespace

int main() {
    expect_work("first use in an atexit handler", [] { std::atexit(&work_and_say); });
    expect_work("first use in a static destructor", [] { at_static_destruction = &work_and_say; });
    expect_work("first use in a thread at exit", [] { at_static_destruction = &thread_at_exit; });
    expect_work("atexit handler registered before the first use", [] {
        std::atexit(&free_kept_and_say);
        keep();
    });
    expect_work("atexit handler registered after the first use", [] {
        keep();
        std::atexit(&free_kept_and_say);
    });
    expect_work("static destructor after main used the pool", [] {
        keep();
        at_static_destruction = &free_kept_and_say;
    });
    if (!linn_test::on_wine()) { // which forgets such a handler
        expect_work("handler registered by a handler", [] {
            keep();
            std::atexit([] {
                work<item>();
                std::atexit(&free_kept_and_say);
            });
        });
    }
    expect_work("8192 handlers", [] {
        for (int i = 0; i < 8191; ++i) {
            std::atexit([] { linn::pool<item>::destroy(linn::pool<item>::create()); });
        }
        at_static_destruction = &work_and_say;
    });
    if (linn_test::on_memcheck()) {
        return 0; // the descriptor of a thread that runs at exit is a possible leak there
    }
    for (unsigned i = linn_test::tsan ? 5 : 50 / linn_test::slowdown; i != 0; --i) {
        expect_work("exit with detached threads", &exit_with_detached_threads);
    }
    expect_work("exit called by another thread", [] {
        keep();
        at_static_destruction = &free_kept_and_say;
        std::thread{[] {
            work<item>();
            std::exit(0);
        }}.join();
    });
}
