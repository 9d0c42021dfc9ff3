// SPDX-License-Identifier: Apache-2.0
// Promise: a fork while another thread returns pages to the system leaves pools and resources whole, in both processes: the
// child has no thread that would bring back the slab in question, and uses it all the same.
//
// Breaks when the child forgets that slab, or takes its free slots for used ones. A thread stands in the system call until the
// fork is over; one object of the slab is freed meanwhile, so that it is empty when it comes back.
#include "process.hpp"

#include <linn/detail/sync/resource_core.hpp>
#include <linn/detail/sync/thread_cache.hpp>
#include <linn/options.hpp>

namespace {

namespace detail = linn::detail;

std::atomic<bool> armed{false};
std::atomic<bool> inside{false};
std::atomic<bool> may_leave{false};

struct slow_pages : detail::platform::pages {
    static bool discard(void* p, std::size_t bytes) noexcept {
        if (armed.exchange(false)) {
            inside = true;
            linn_test::wait_until(may_leave);
        }
        return detail::platform::pages::discard(p, bytes);
    }
};

/// Each question is a second later than the one before.
struct fast_clock {
    static std::uint64_t now_ms() noexcept {
        static std::atomic<std::uint64_t> now{0};
        return now += 2000;
    }
};

struct slow_platform : detail::platform {
    using pages = slow_pages;
    using clock = fast_clock;
};

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
    inside = may_leave = false;
    armed = true;
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
    linn_test::wait_until(inside);
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
    may_leave = true;
    over = true;
    returns.join();
    last = take();
    std::memset(last, 0x5a, 64);
    finish();
    check();
}

constexpr detail::pool_description description{
    .sizes = detail::geometry_for(64, 8, {.retain_bytes = 0}),
    .type = linn::detail::label_of("returning"),
};
constinit detail::pool_root<slow_platform> root{0, &description};

} // namespace

int main() {
    if (!linn_test::in_slabs()) {
        return linn_test::skip("objects are not in slabs here");
    }
    auto* const pool = detail::depot_of(root);
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
    constexpr unsigned c = detail::class_of(64);
    const auto take = [&] {
        void* p = nullptr;
        return resource.pop(c, p) ? p : resource.take(c);
    };
    const auto put = [&](void* p) {
        if (!resource.push(c, p)) {
            resource.put(c, p);
        }
    };
    fork_while_away(take, put, [&] {
        CHECK(resource.consistent());
        resource.trim();
        CHECK(resource.consistent());
    });
}
