// SPDX-License-Identifier: Apache-2.0
// Promise: a fork waits until no thread is inside a pool or a resource: neither is copied in the middle of a change.
//
// Breaks when a lock is not taken before the fork. A thread stands inside, in the clock that is asked there; a handler of
// the fork that runs before those of the library lets it go on, and one that runs after them looks whether it is out.
#include "process.hpp"

#include <linn/detail/os/system.hpp>
#include <linn/detail/sync/resource_core.hpp>
#include <linn/detail/sync/thread_cache.hpp>
#include <linn/options.hpp>

#include <pthread.h>

namespace {

namespace detail = linn::detail;

std::atomic<bool> armed{false};
std::atomic<bool> inside{false};
std::atomic<bool> may_leave{false};
std::atomic<int> looked{0};

struct waiting_clock {
    static std::uint64_t now_ms() noexcept {
        if (armed.exchange(false)) {
            inside = true;
            linn_test::wait_until(may_leave);
            detail::sleep_briefly(100'000); // long enough for a fork that does not wait to come by
            inside = false;
        }
        return 1;
    }
};

struct waiting_platform : detail::platform {
    using clock = waiting_clock;
};

/// Calls `work`, which comes by the clock with a lock held, in a thread, and forks meanwhile.
template <class Work>
void fork_while(Work&& work) {
    may_leave = false;
    looked = 0;
    armed = true;
    std::atomic<bool> forked{false};
    std::thread other{[&] {
        work();
        linn_test::wait_until(forked); // ThreadSanitizer would take it for lost in the child
    }};
    linn_test::wait_until(inside);
    linn_test::check_forked(work);
    forked = true;
    CHECK(looked == 1);
    other.join();
}

constexpr detail::pool_description description{
    .sizes = detail::geometry_for(64, 8, {.retain_bytes = 0}),
    .type = linn::detail::label_of("waiting"),
};
constinit detail::pool_root<waiting_platform> root{0, &description};

} // namespace

int main() {
    // Handlers before a fork run in the reverse order, and those of the library are installed at its first use.
    CHECK(::pthread_atfork(
              [] {
                  CHECK(!inside);
                  ++looked;
              },
              nullptr, nullptr) == 0);
    detail::resource_settings settings;
    detail::resource_core<waiting_platform> resource{settings};
    detail::depot<waiting_platform>* const depot = detail::depot_of(root);
    CHECK(depot != nullptr);
    CHECK(::pthread_atfork([] { may_leave = true; }, nullptr, nullptr) == 0);

    // The only object of a slab comes back: the slab is empty, and more is empty than is to be kept.
    fork_while([&] { depot->put_one(depot->take_one()); });

    // More than a thread caches, so that slabs become empty.
    fork_while([&] {
        const unsigned c = detail::class_of(16384);
        std::vector<void*> all(100);
        for (void*& p : all) {
            resource.pop(c, p);
            p = p != nullptr ? p : resource.take(c);
            CHECK(p != nullptr);
        }
        for (void* p : all) {
            if (!resource.push(c, p)) {
                resource.put(c, p);
            }
        }
    });
}
