// SPDX-License-Identifier: Apache-2.0
// Promise: a static recycler may be used by static destructors until it is destroyed, what is out may be
// released after that, also in destructors of thread-local objects and at exit; every object is
// destroyed once.
//
// Breaks when the memory or the core of a recycler dies before its objects, or a late thread has a
// cache that nobody empties.
#include "process.hpp"

#include <linn/recycler.hpp>

namespace {

std::atomic<int> made{0};
std::atomic<int> destroyed{0};

struct record {
    record() { ++made; }
    ~record() { ++destroyed; }
    std::vector<int> values = std::vector<int>(10, 1);
    std::string text = std::string(100, 'x');
};
using records = linn::recycler<record>;

/// Registered first of all, and so called last: after every static destructor.
struct judge {
    judge() {
        std::atexit([] {
            CHECK(made == destroyed);
            CHECK(made >= 6);
            linn_test::say("all destroyed\n");
        });
    }
} first_of_all;

/// Constructed before the recycler, destroyed after it.
struct survivor {
    records::handle handle;
    std::shared_ptr<record> shared;
    std::weak_ptr<record> weak;
    ~survivor() {
        CHECK(handle->values.size() == 10);
        CHECK(shared->text.size() == 100);
        CHECK(weak.lock() == shared);
        shared.reset();
        CHECK(weak.expired());
        handle.reset();
    }
} outlives;

records all{100};

/// Constructed after the recycler, destroyed before it.
struct user {
    ~user() {
        const auto a = all.acquire();
        const auto b = all.acquire_shared();
        CHECK(a->values.size() == 10 && b->text.size() == 100);
        CHECK(all.trim() <= 100);
    }
} uses_late;

struct late_in_thread {
    std::vector<records::handle> held;
    ~late_in_thread() {
        held.clear();
        all.acquire().reset();
        all.acquire_shared().reset();
    }
};
thread_local late_in_thread late;

void scenario() {
    outlives.handle = all.acquire();
    outlives.shared = all.acquire_shared();
    outlives.weak = outlives.shared;
    std::thread{[] {
        for (int i = 0; i < 4; ++i) {
            late.held.push_back(all.acquire());
        }
    }}.join();
    late.held.push_back(all.acquire()); // of the main thread: destroyed before static objects
    CHECK(all.live() == 3);
    std::thread{[released = all.acquire()]() mutable { released.reset(); }}.join();
}

} // namespace

int main() {
    const auto child = linn_test::run_child(&scenario);
    child.expect(child.exited_with(0) && child.says("all destroyed"), "a static recycler");
    scenario();
}
