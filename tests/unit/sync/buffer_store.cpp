// SPDX-License-Identifier: Apache-2.0
// Promises of the store below buffer_pool, with pages that know what they are asked:
// no system call under the lock, every mapping is closed before it is unmapped and open while a caller has it. Any sequence of
// calls against a model: tests/fuzz; each refusal of the system: process.error_nth_request and process.system_answers.

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

/// Remembers every mapping and its state, and counts what must not happen.
struct fake_pages {
    static inline std::mutex lock;
    static inline std::map<std::byte*, bool> open_now;
    static inline std::atomic<int> errors{0};
    static inline std::function<void()> meanwhile; ///< what another thread does during the next map

    static void reset() {
        errors = 0;
        meanwhile = nullptr;
    }
    static std::size_t mapped() {
        const std::lock_guard guard{lock};
        return open_now.size();
    }
    static bool is_open(std::byte* p) {
        const std::lock_guard guard{lock};
        return open_now.at(p);
    }
    static void expect(bool good) { errors += good && locks_held == 0 ? 0 : 1; }

    static std::size_t page_bytes() noexcept { return 4096; }
    static bool map(const detail::buffer_request& r, detail::buffer_mapping& out) noexcept {
        expect(true);
        if (meanwhile) {
            std::exchange(meanwhile, nullptr)();
        }
        out.data = static_cast<std::byte*>(::operator new(r.bytes, std::align_val_t{r.align}));
        out.bytes = r.bytes;
        out.align = r.align;
        const std::lock_guard guard{lock};
        expect(open_now.emplace(out.data, false).second);
        return true;
    }
    static void unmap(const detail::buffer_mapping& m) noexcept {
        expect(!is_open(m.data));
        {
            const std::lock_guard guard{lock};
            open_now.erase(m.data);
        }
        ::operator delete(m.data, std::align_val_t{m.align});
    }
    static bool prefault(const detail::buffer_mapping& m) noexcept {
        expect(is_open(m.data));
        return true;
    }
    static bool open(const detail::buffer_mapping& m, bool) noexcept {
        expect(!is_open(m.data));
        const std::lock_guard guard{lock};
        open_now[m.data] = true;
        return true;
    }
    static void close(const detail::buffer_mapping& m, bool) noexcept {
        expect(is_open(m.data));
        const std::lock_guard guard{lock};
        open_now[m.data] = false;
    }
};

struct watched_platform : detail::platform {
    using mutex = watched_mutex;
};
using store = detail::buffer_store<watched_platform, fake_pages>;

detail::buffer_plan plan(std::size_t retain) {
    detail::buffer_plan p;
    p.bytes = buffer_bytes;
    p.request = {.bytes = buffer_bytes, .align = 4096, .huge = linn::huge_page_use::off};
    p.retain = retain;
    p.asymmetric = detail::enable_thread_barrier();
    return p;
}

TEST_CASE("buffer_store: reserve keeps no buffer too many") {
    fake_pages::reset();
    store::registry stores;
    constexpr std::size_t retain = 200;
    store* s = store::make(plan(retain), stores);
    std::vector<store::block*> out(retain);
    std::generate(out.begin(), out.end(), [s] { return s->acquire(); });
    CHECK(s->reserve(retain - 1));
    fake_pages::meanwhile = [&out] {
        store::release(out.back());
        out.pop_back();
    };
    CHECK(s->reserve(retain));
    CHECK(s->counts().idle == retain);
    std::for_each(out.begin(), out.end(), store::release);
    CHECK(s->counts().idle == retain);
    CHECK(fake_pages::mapped() == retain);
    s->close();
    CHECK(fake_pages::mapped() == 0);
    CHECK(fake_pages::errors == 0);
}

} // namespace sync_buffer_store_tests
