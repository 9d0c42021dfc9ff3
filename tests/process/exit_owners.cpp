// SPDX-License-Identifier: Apache-2.0
// Promise: static recyclers and buffer pools may be used by static destructors, atexit functions and the destructors of
// thread-local objects until they are destroyed; what is out may be given back after that, and by another thread than the one
// that had it. Every object of a recycler is destroyed once.
//
// Breaks when an object or a buffer needs its pool, its thread, or something that exit has destroyed, or when a late thread has a
// cache that is never emptied.
#include "process.hpp"

#include <linn/buffer_pool.hpp>
#include <linn/recycler.hpp>

namespace {

std::atomic<int> made{0};
std::atomic<int> destroyed{0};

struct record {
    record() { ++made; }
    ~record() { ++destroyed; }
    std::vector<int> values = std::vector<int>(10, 1);
};
void use(record& r) {
    CHECK(r.values.size() == 10);
    ++r.values[3];
}
void use(std::byte& buffer) {
    buffer = std::byte{1};
}
void use(const linn::recycler<record>::handle& object) {
    use(*object);
}
void use(const linn::buffer& buffer) {
    use(buffer.span().back());
}

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

constexpr std::size_t size = 64 * linn_test::kib; ///< of a buffer; more objects than a recycler needs

/// Gives back what it was given, and then has what a pool gave that ends before it.
template <class Pool>
struct late_user {
    ~late_user() {
        if (held) {
            use(held);
            use(*shared.get());
            CHECK(weak.lock() == shared);
            shared.reset();
            CHECK(weak.expired());
        }
        Pool own{size};
        held = own.acquire();
        take_shared(own);
    }
    void take(Pool& pool) {
        held = pool.acquire();
        take_shared(pool);
    }
    void take_shared(Pool& pool) {
        shared = pool.acquire_shared();
        weak = shared;
    }
    decltype(std::declval<Pool&>().acquire()) held;
    decltype(std::declval<Pool&>().acquire_shared()) shared;
    typename decltype(shared)::weak_type weak;
};

// Destroyed in the reverse order.
late_user<linn::recycler<record>> outlives_records;
linn::recycler<record> records{100};
late_user<linn::recycler<record>> before_records;
late_user<linn::buffer_pool> outlives_buffers;
linn::buffer_pool buffers{size};
late_user<linn::buffer_pool> before_buffers;

template <auto& All, auto& Outlives, auto& Before>
void leave_owners() {
    std::atexit([] { use(All.acquire()); });
    Outlives.take(All);
    Before.take(All);
    std::vector<decltype(All.acquire())> left;
    std::thread{[&left] {
        thread_local std::remove_reference_t<decltype(Before)> of_thread;
        of_thread.take(All);
        for (int i = 0; i < 5; ++i) {
            left.push_back(All.acquire());
        }
    }}.join();
    std::thread{[&left] {
        for (const auto& owner : left) {
            use(owner);
        }
        left.clear();
    }}.join();
    CHECK(All.statistics().live == 4);
}

void scenario() {
    leave_owners<records, outlives_records, before_records>();
    leave_owners<buffers, outlives_buffers, before_buffers>();
}

} // namespace

int main() {
    if (!linn::detail::thread_locals_last) {
        return linn_test::skip("thread_local objects are destroyed after their memory was freed here");
    }
    const auto child = linn_test::run_child(&scenario);
    child.expect(child.exited_with(0) && child.says("all destroyed"), "exit");
    scenario();
}
