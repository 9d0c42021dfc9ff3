// SPDX-License-Identifier: Apache-2.0
// Promises of the store below buffer_pool: no system call under the lock, and no buffer too many. That each is closed before it is
// unmapped and open while a caller has it: tests/model. Any sequence of calls against a model: tests/fuzz; each refusal of the
// system: process.error_nth_request and process.system_answers.

#include "unit.hpp"

#include <linn/detail/os/system.hpp>
#include <linn/detail/sync/buffer_store.hpp>

namespace sync_buffer_store_tests {

namespace detail = linn::detail;

constexpr std::size_t buffer_bytes = 65536;

thread_local int locks_held = 0;

struct watched_mutex : detail::mutex {
    using mutex::mutex;
    bool try_lock() noexcept {
        const bool got = mutex::try_lock();
        locks_held += got ? 1 : 0;
        return got;
    }
    void lock() noexcept {
        mutex::lock();
        ++locks_held;
    }
    void unlock() noexcept {
        --locks_held;
        mutex::unlock();
    }
};

/// Counts mappings, and calls for which a lock is held.
struct watched_pages : detail::system_buffer_pages {
    static inline std::atomic<std::size_t> mapped{0};
    static inline std::atomic<int> under_lock{0};
    static inline std::function<void()> meanwhile; ///< what another thread does during the next map or unmap

    static void call_meanwhile() {
        if (meanwhile) {
            std::exchange(meanwhile, nullptr)();
        }
    }
    static bool map(const detail::buffer_request& r, detail::buffer_mapping& out) noexcept {
        under_lock += locks_held;
        call_meanwhile();
        ++mapped;
        return system_buffer_pages::map(r, out);
    }
    static void unmap(const detail::buffer_mapping& m) noexcept {
        under_lock += locks_held;
        call_meanwhile();
        --mapped;
        system_buffer_pages::unmap(m);
    }
    static bool open(const detail::buffer_mapping& m, bool was_protected) noexcept {
        under_lock += locks_held;
        return system_buffer_pages::open(m, was_protected);
    }
    static void close(const detail::buffer_mapping& m, bool protect_it) noexcept {
        under_lock += locks_held;
        system_buffer_pages::close(m, protect_it);
    }
};

struct watched_platform : detail::platform {
    using mutex = watched_mutex;
};
using store = detail::buffer_store<watched_platform, watched_pages>;
// A buffer may come back when the module that made its pool is unloaded.
static_assert(!std::is_polymorphic_v<store>);

detail::buffer_plan plan(std::size_t retain) {
    detail::buffer_plan p;
    p.bytes = buffer_bytes;
    p.request = {
        .bytes = buffer_bytes, .align = watched_pages::page_bytes(), .huge = linn::huge_page_use::off};
    p.retain = retain;
    return p;
}

TEST_CASE("buffer_store: reserve keeps no buffer too many") {
    store::registry stores;
    constexpr std::size_t retain = 200;
    store* s = store::make(plan(retain), stores);
    std::vector<store::block*> out(retain);
    std::generate(out.begin(), out.end(), [s] { return s->acquire(); });
    CHECK(s->reserve(retain - 1));
    watched_pages::meanwhile = [&out] {
        store::release(out.back());
        out.pop_back();
    };
    CHECK(s->reserve(retain));
    CHECK(s->counts().idle == retain);
    std::for_each(out.begin(), out.end(), store::release);
    CHECK(s->counts().idle == retain);
    CHECK(watched_pages::mapped == retain);
    s->close();
    CHECK(watched_pages::mapped == 0);
    CHECK(watched_pages::under_lock == 0);
}

TEST_CASE("buffer_store: what a trim will unmap is gone: its place serves others, and it is not live") {
    store::registry stores;
    detail::buffer_plan two = plan(2);
    two.most = 2;
    store* s = store::make(two, stores);
    store::block* out[2] = {s->acquire(), s->acquire()};
    std::ranges::for_each(out, store::release);
    watched_pages::meanwhile = [&] {
        CHECK(s->counts().all == 0); // the child of a fork counts so
        std::ranges::generate(out, [s] { return s->acquire(); });
    };
    CHECK(s->trim() == 2);
    REQUIRE(out[1] != nullptr);
    CHECK(s->acquire() == nullptr);
    CHECK(s->counts().peak == 2);
    std::ranges::for_each(out, store::release);
    s->close();
    CHECK(watched_pages::mapped == 0);
}

} // namespace sync_buffer_store_tests
