// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_SUPPORT_FAILING_REQUESTS_HPP
#define LINN_TESTS_SUPPORT_FAILING_REQUESTS_HPP

/// @file
/// Makes the n-th request for memory fail, for n = 0, 1, 2, ... until an operation needs no more: whatever the
/// library and the standard library ask the system or `operator new` for. Include it in one source of a program,
/// and link that with --wrap=mmap.

#include "process.hpp"

#include <linn/detail/sync/thread_cache.hpp>
#include <linn/statistics.hpp>

#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <thread>
#include <type_traits>

extern "C" void* __real_mmap(void* address, std::size_t bytes, int access, int flags, int file, off_t offset);
extern "C" void* __wrap_mmap(void* address, std::size_t bytes, int access, int flags, int file, off_t offset);

namespace linn_test {

/// The requests of one thread.
struct request_counter {
    static constexpr long never = -1;
    static inline constinit thread_local long until_failure = never; ///< requests that are granted yet
    static inline constinit thread_local bool all_later_ones = false;
    static inline constinit thread_local std::size_t refused = 0;
    static inline std::atomic<long> blocks{0}; ///< from operator new and not deleted, of all threads

    static bool refuses() noexcept {
        if (until_failure == never) {
            return false;
        }
        if (until_failure != 0) {
            --until_failure;
            return false;
        }
        until_failure = all_later_ones ? 0 : never;
        ++refused;
        return true;
    }
};

inline std::size_t drained = 0; ///< objects that drain_pools() keeps

/// Takes all free objects of all pools, and keeps them, so that the next one is a request: pools keep the addresses that they
/// once mapped.
inline void drain_pools() {
    if (!in_slabs()) {
        return;
    }
    using platform = linn::detail::platform;
    for (auto* f = linn::detail::this_thread<platform>.fronts; f != nullptr; f = f->next_in_thread) {
        f->home->trim(f);
    }
    request_counter::all_later_ones = true;
    request_counter::until_failure = 0;
    for (auto* d = linn::detail::registry<platform>::process().newest(); d != nullptr; d = d->older) {
        while (d->take_one() != nullptr) {
            ++drained;
        }
    }
    request_counter::until_failure = request_counter::never;
}

/// One try of an operation. What prepares and what verifies it is not disturbed.
class attempt {
public:
    attempt(long granted, bool all_later_ones) noexcept
        : granted_{granted},
          all_later_ones_{all_later_ones} {}

    /// Runs `act` with failing requests. @returns false when it threw std::bad_alloc, or returned false
    template <class Act>
    bool run(const Act& act) {
        drain_pools();
        request_counter::all_later_ones = all_later_ones_;
        request_counter::until_failure = granted_;
        request_counter::refused = 0;
        bool done = false;
        try {
            if constexpr (std::is_void_v<decltype(act())>) {
                act();
                done = true;
            } else {
                done = act();
            }
        } catch (const std::bad_alloc&) {
        }
        request_counter::until_failure = request_counter::never;
        refused_ += request_counter::refused;
        return done;
    }
    [[nodiscard]] std::size_t refused() const noexcept { return refused_; }

private:
    long granted_;
    bool all_later_ones_;
    std::size_t refused_ = 0;
};

inline std::size_t objects_alive() {
    std::size_t n = 0;
    for (const linn::pool_statistics& s : linn::statistics()) {
        n += s.live;
    }
    return n - drained;
}

enum class requests { some, none, perhaps };

/// Tries `op(attempt&)`, which returns whether it completed, until it completes with no request refused: with the
/// n-th request failing alone, and with all from the n-th on. Each attempt is made by a thread of its own, which
/// has no caches, and leaves nothing alive and no block allocated.
inline void fail_each_request(const char* what, requests expected, const std::function<bool(attempt&)>& op) {
    std::size_t failures =
        0; // in both ways together: one refusal alone may be made up for by another request
    for (const bool all_later_ones : {false, true}) {
        bool completed = false;
        for (long n = 0; !completed; ++n) {
            const std::size_t alive = objects_alive();
            const long blocks = request_counter::blocks;
            std::size_t refused = 0;
            bool done = false;
            std::thread{[&] {
                attempt a{n, all_later_ones};
                done = op(a);
                refused = a.refused();
            }}.join();
            const auto expect = [&](bool good, const char* why) {
                if (!good) {
                    std::fprintf(stderr, "%s, request %ld of it: %s\n", what, n, why);
                    std::_Exit(1);
                }
            };
            expect(done || refused != 0, "failed without a reason");
            expect(n < 10'000, "never completes");
            expect(objects_alive() == alive, "objects were lost");
            expect(request_counter::blocks == blocks, "blocks of operator new were lost");
            failures += done ? 0U : 1U;
            completed = done && refused == 0;
        }
    }
    if (expected != requests::perhaps && (failures != 0) != (expected == requests::some)) {
        std::fprintf(stderr, "%s: failed %zu times\n", what, failures);
        std::_Exit(1);
    }
}

inline void fail_each_request(const char* what, const std::function<bool(attempt&)>& op) {
    fail_each_request(what, requests::some, op);
}

/// Likewise for an operation that prepares and verifies nothing.
template <class Act>
void fail_each_request_of(const char* what, const Act& act) {
    fail_each_request(what, [&](attempt& a) { return a.run(act); });
}

inline void* get_block(std::size_t bytes, std::size_t align) noexcept {
    if (request_counter::refuses()) {
        return nullptr;
    }
    const std::size_t rounded = (bytes + align - 1) / align * align;
    void* p = std::aligned_alloc(align, rounded != 0 ? rounded : align);
    request_counter::blocks += p != nullptr ? 1 : 0;
    return p;
}
inline void put_block(void* p) noexcept {
    request_counter::blocks -= p != nullptr ? 1 : 0;
    std::free(p);
}

} // namespace linn_test

#include "replaced_new.hpp"

[[gnu::used]] inline void* __wrap_mmap(void* address, std::size_t bytes, int access, int flags, int file,
                                       off_t offset) {
    if (linn_test::request_counter::refuses()) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return __real_mmap(address, bytes, access, flags, file, offset);
}

#endif
