// SPDX-License-Identifier: Apache-2.0
// Promise: a fork waits until no thread is inside a pool or a resource: neither is copied in the middle of a change. It does not wait
// for one that returns pages to the system: the child has no thread that would bring back the slab in question, and uses it all the
// same.
//
// Breaks when a lock is not taken before the fork, and when the child forgets that slab or takes its free slots for used ones. A
// thread stands inside at a gate: in the clock, which is asked with a lock held, until a handler of the fork that runs before those
// of the library opens it, and one that runs after them looks whether it is out; or in the system call, until the fork is over. One
// object of the slab is freed meanwhile, so that it is empty when it comes back.
#include "process.hpp"

#include <linn/detail/sync/resource_core.hpp>
#include <linn/detail/sync/thread_cache.hpp>
#include <linn/options.hpp>

#include <pthread.h>

namespace {

namespace detail = linn::detail;

/// Where a thread waits once.
struct gate {
    std::atomic<bool> armed{false};
    std::atomic<bool> inside{false};
    std::atomic<bool> open{false};

    void arm() {
        open = false;
        armed = true;
    }
    void pass() {
        if (armed.exchange(false)) {
            inside = true;
            linn_test::wait_until(open);
            detail::sleep_briefly(100'000); // long enough for a fork that does not wait to come by
            inside = false;
        }
    }
};
gate at_clock;
gate at_discard;

struct waiting_platform : detail::platform {
    struct clock {
        static std::uint64_t now_ms() noexcept {
            at_clock.pass();
            return 1;
        }
    };
};

struct slow_platform : detail::platform {
    struct pages : detail::platform::pages {
        static bool discard(void* p, std::size_t bytes) noexcept {
            at_discard.pass();
            return detail::platform::pages::discard(p, bytes);
        }
    };
    struct clock { // each question is a second later than the one before
        static std::uint64_t now_ms() noexcept {
            static std::atomic<std::uint64_t> now{0};
            return now += 2000;
        }
    };
};

constexpr detail::pool_description description{
    .sizes = detail::geometry_for(64, 8, {.retain_bytes = 0}),
    .type = detail::label_of("inside"),
};
constinit detail::pool_root<waiting_platform> waiting_root{0, &description};
constinit detail::pool_root<slow_platform> slow_root{0, &description};

/// One size of a resource.
template <class Platform>
struct size_class {
    detail::resource_core<Platform>& of;
    unsigned number;

    void* take() {
        void* p = nullptr;
        return of.pop(number, p) ? p : of.take(number);
    }
    void put(void* p) {
        if (!of.push(number, p)) {
            of.put(number, p);
        }
    }
};

// --- while a thread holds a lock ----------------------------------------------------------------------------

std::atomic<int> looked{0};

/// Calls `work`, which comes by the clock with a lock held, in a thread, and forks meanwhile.
template <class Work>
void fork_while(Work&& work) {
    looked = 0;
    at_clock.arm();
    std::atomic<bool> forked{false};
    std::thread other{[&] {
        work();
        linn_test::wait_until(forked); // ThreadSanitizer would take it for lost in the child
    }};
    linn_test::wait_until(at_clock.inside);
    linn_test::check_forked(work);
    forked = true;
    CHECK(looked == 1);
    other.join();
}

void forks_that_wait() {
    // Handlers before a fork run in the reverse order, and those of the library are installed at its first use.
    CHECK(::pthread_atfork(
              [] {
                  CHECK(!at_clock.inside);
                  ++looked;
              },
              nullptr, nullptr) == 0);
    detail::resource_settings settings;
    detail::resource_core<waiting_platform> resource{settings};
    auto* const depot = detail::depot_of(waiting_root);
    CHECK(depot != nullptr);
    CHECK(::pthread_atfork([] { at_clock.open = true; }, nullptr, nullptr) == 0);

    // The only object of a slab comes back: the slab is empty, and more is empty than the resource keeps.
    fork_while([&] { depot->put_one(depot->take_one()); });

    // More than a thread caches, so that slabs become empty.
    fork_while([&] {
        size_class<waiting_platform> large{resource, detail::class_of(16384)};
        std::vector<void*> all(100);
        for (void*& p : all) {
            p = large.take();
            CHECK(p != nullptr);
        }
        for (void* p : all) {
            large.put(p);
        }
    });
}

// --- while a thread returns pages ----------------------------------------------------------------------------

/// Frees all but one object of many, so that visits return pages; forks while a thread does, and frees the last one.
/// @param check what must hold in both processes
template <class Take, class Put, class Check>
void fork_while_away(Take&& take, Put&& put, Check&& check) {
    constexpr std::size_t many = 20'000;
    std::vector<void*> all(many);
    for (void*& p : all) {
        p = take();
        CHECK(p != nullptr);
        std::memset(p, 0x5a, 64);
    }
    void* last = all[1]; // of the first slab, whose pages go back before all are free
    at_discard.arm();
    std::atomic<bool> over{false};
    std::atomic<std::size_t> at{0}; // those below were freed
    std::thread returns{[&] {
        while (at != many) {
            if (void* p = all[at++]; p != last) {
                put(p);
            }
        }
        linn_test::wait_until(over); // ThreadSanitizer would take it for lost in the child
    }};
    linn_test::wait_until(at_discard.inside);
    const auto finish = [&] {
        for (std::size_t i = 0; i != 64; ++i) {
            CHECK(static_cast<unsigned char*>(last)[i] == 0x5a);
        }
        put(last);
        for (void*& p : all) {
            p = take();
            CHECK(p != nullptr);
            std::memset(p, 0x3c, 64);
        }
        for (void* p : all) {
            CHECK(*static_cast<unsigned char*>(p) == 0x3c);
            put(p);
        }
    };
    linn_test::check_forked([&] {
        for (std::size_t i = at; i != many; ++i) {
            if (all[i] != last) {
                put(all[i]);
            }
        }
        finish();
        check();
    });
    put(last);
    at_discard.open = true;
    over = true;
    returns.join();
    last = take();
    std::memset(last, 0x5a, 64);
    finish();
    check();
}

void forks_that_do_not_wait() {
    auto* const pool = detail::depot_of(slow_root);
    CHECK(pool != nullptr);
    fork_while_away([&] { return pool->take_one(); }, [&](void* p) { pool->put_one(p); },
                    [&] {
                        CHECK(pool->statistics().live == 0 && pool->consistent());
                        pool->trim(nullptr);
                        const auto s = pool->statistics();
                        CHECK_AT_MOST(s.resident_bytes, s.slabs * 4096);
                    });

    detail::resource_settings settings;
    detail::resource_core<slow_platform> resource{settings};
    size_class<slow_platform> small{resource, detail::class_of(64)};
    fork_while_away([&] { return small.take(); }, [&](void* p) { small.put(p); },
                    [&] {
                        CHECK(resource.consistent());
                        resource.trim();
                        CHECK(resource.consistent());
                    });
}

} // namespace

int main() {
    forks_that_wait();
    if (linn_test::in_slabs()) {
        forks_that_do_not_wait();
    }
}
