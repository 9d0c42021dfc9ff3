// SPDX-License-Identifier: Apache-2.0
// Promise: allocation and free work inside the destructors of thread_local objects, whether these
// were constructed before or after the thread first used a pool, and even when such a destructor is
// where the thread uses a pool for the first time. Another thread may free objects meanwhile.
//
// Breaks when the cache of a thread has a destructor: destructors that run after it would use a
// dead cache, and objects freed there would be lost. Each scenario counts the destructors that ran,
// and at the end no object is alive and no thread holds a cache, so nothing passes by not running.
#include "process.hpp"

#include <linn/linn.hpp>

#include <cxxabi.h>

namespace {

struct item {
    long words[5];
};
struct other {
    char bytes[100];
};
struct unused_before {
    char bytes[300];
};

std::atomic<int> destructors{0};

template <class T>
void work(int n) {
    std::vector<T*> objects;
    for (int i = 0; i < n; ++i) {
        objects.push_back(linn::pool<T>::create());
    }
    for (T* object : objects) {
        linn::pool<T>::destroy(object);
    }
}

/// Holds objects and, when the thread ends, frees them and uses pools some more.
template <int Id>
struct holder {
    ~holder() {
        for (item* object : held) {
            linn::pool<item>::destroy(object);
        }
        work<item>(1000);
        work<other>(1000);
        destructors.fetch_add(1);
    }
    void touch() { held.reserve(100); }
    std::vector<item*> held;
};

void constructed_before_and_after() {
    std::thread{[] {
        thread_local holder<1> before;
        before.touch();
        for (int i = 0; i < 50; ++i) {
            before.held.push_back(linn::pool<item>::create());
        }
        thread_local holder<2> after;
        after.touch();
        for (int i = 0; i < 50; ++i) {
            after.held.push_back(linn::pool<item>::create());
        }
    }}.join();
    CHECK(destructors.exchange(0) == 2);
}

void containers() {
    std::thread{[] {
        thread_local linn::map<int, int> before; // constructed before this thread's first use
        thread_local linn::unordered_map<int, int> converted{linn::allocator<int>{}};
        for (int i = 0; i < 500; ++i) {
            before.emplace(i, i);
            converted.emplace(i, i);
        }
        thread_local linn::list<int> after{1, 2, 3};
        after.push_back(4);
    }}.join();
}

/// The first thing that this thread, and with `unused_before` this process, does with the pool.
void first_use_in_a_destructor() {
    struct late {
        ~late() {
            work<unused_before>(500);
            work<item>(500);
            destructors.fetch_add(1);
        }
        void touch() {}
    };
    std::thread{[] {
        thread_local late l;
        l.touch();
    }}.join();
    CHECK(destructors.exchange(0) == 1);
}

/// What the compiler makes of a thread_local variable with a destructor: it is registered while the destructor of
/// another runs, two thousand times over, half of the time by an object of a pool that the next one frees.
void* of_this_module = nullptr;

struct chained {
    int rest;
    item* taken;
};

void destroy_chained(void* p) {
    auto* last = static_cast<chained*>(p);
    linn::pool<item>::destroy(last->taken);
    work<other>(3);
    destructors.fetch_add(1);
    if (last->rest != 0) {
        auto* next = linn::pool<chained>::create(chained{last->rest - 1, nullptr});
        next->taken = next->rest % 2 == 0 ? linn::pool<item>::create() : nullptr;
        CHECK(abi::__cxa_thread_atexit(&destroy_chained, next, &of_this_module) == 0);
    }
    linn::pool<chained>::destroy(last);
}

void a_long_chain_of_destructors() {
    std::thread{[] {
        auto* first = linn::pool<chained>::create(chained{2000, linn::pool<item>::create()});
        CHECK(abi::__cxa_thread_atexit(&destroy_chained, first, &of_this_module) == 0);
    }}.join();
    CHECK(destructors.exchange(0) == 2001);
}

/// B frees A's objects exactly while A is in its thread_local destructors, where A frees as well.
std::atomic<int> phase{0};

struct meeting {
    ~meeting() {
        phase.store(1);
        while (phase.load() == 1) {
            work<item>(10);
            std::this_thread::yield();
        }
        destructors.fetch_add(1);
    }
    void touch() {}
};

void freed_elsewhere_meanwhile() {
    for (int round = 0; round < 20; ++round) {
        phase.store(0);
        std::vector<item*> items;
        std::thread a{[&] {
            // One of the two runs before the caches go, the other after.
            thread_local meeting m;
            m.touch();
            for (int i = 0; i < 1000; ++i) {
                items.push_back(linn::pool<item>::create());
            }
        }};
        std::thread b{[&] {
            linn_test::wait_until([&] { return phase.load() != 0; });
            for (item* object : items) {
                linn::pool<item>::destroy(object);
            }
            phase.store(2);
        }};
        a.join();
        b.join();
    }
    CHECK(destructors.exchange(0) == 20);
}

} // namespace

int main() {
    if (!linn::detail::thread_locals_last) {
        return linn_test::skip("thread_local objects are destroyed after their memory was freed here");
    }
    first_use_in_a_destructor(); // first of all, so that it is the first use in the process
    constructed_before_and_after();
    containers();
    a_long_chain_of_destructors();
    freed_elsewhere_meanwhile();
    CHECK(linn::leak_report().empty());
    for (const auto& s : linn::statistics()) {
        CHECK(s.threads == 0);
        CHECK(s.peak != 0);
    }
    CHECK(linn::statistics().size() >= 7);
}
