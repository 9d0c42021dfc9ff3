// SPDX-License-Identifier: Apache-2.0
// The store below buffer pools: buffers that are idle, live or on their way to the system.
#include "policy.hpp"

#include <linn/detail/sync/buffer_store.hpp>

#include <cstddef>
#include <cstdint>

namespace model::of_buffers {

using linn::detail::buffer_mapping;
using linn::detail::buffer_request;

/// Each mapping is closed before it goes and open while it is somebody's: noted in the buffer itself, where
/// two threads at once would be a race.
struct buffer_pages {
    static std::size_t page_bytes() noexcept { return 64; }
    static bool map(const buffer_request& r, buffer_mapping& out) noexcept {
        ++mapped;
        out.data = static_cast<std::byte*>(memory_get(r.bytes, r.align));
        out.bytes = r.bytes;
        out.align = r.align;
        return true;
    }
    static void unmap(const buffer_mapping& m) noexcept {
        check(!state(m), "a buffer is closed before it goes back");
        --mapped;
        memory_put(m.data, m.bytes);
    }
    static bool prefault(const buffer_mapping&) noexcept { return true; }
    static bool open(const buffer_mapping& m, bool) noexcept {
        check(!state(m), "a buffer is opened once");
        state(m) = true;
        return true;
    }
    static void close(const buffer_mapping& m, bool) noexcept {
        check(state(m), "a buffer is closed once");
        state(m) = false;
    }

    static inline std::size_t mapped = 0; ///< of the run: the explorer runs one thread at a time

private:
    static bool& state(const buffer_mapping& m) { return *reinterpret_cast<bool*>(m.data); }
};

using store = linn::detail::buffer_store<policy, buffer_pages>;

struct store_state {
    /// Threads cache where four or more are retained.
    explicit store_state(std::size_t retain, std::size_t most = 0) {
        buffer_pages::mapped = 0;
        linn::detail::buffer_plan p;
        p.bytes = 64;
        p.request = {.bytes = 64, .align = 64, .huge = linn::huge_page_use::off};
        p.retain = retain;
        p.most = most;
        shared = store::make(p, stores);
    }
    store::block* acquire(std::size_t value) {
        store::block* b = shared->acquire();
        if (b != nullptr) {
            place(b) = value;
        }
        return b;
    }
    static void release(store::block* b, std::size_t value) {
        check(place(b) == value, "a buffer holds what its user wrote");
        store::release(b);
    }
    static std::size_t& place(store::block* b) { return reinterpret_cast<std::size_t*>(b->memory.data)[1]; }

    /// A buffer is in the cache of the thread number that this leaves to somebody.
    void warm() {
        release(acquire(0), 0);
        number = linn::detail::this_thread_index<policy>;
    }
    /// The calling thread is one that has used the store before.
    void use_warm_number() const { linn::detail::this_thread_index<policy> = number; }

    void finish() {
        const auto c = shared->counts();
        check(c.live() == 0 && c.idle == c.all, "every buffer came back");
        check(c.all == buffer_pages::mapped, "every mapping is there or went back");
        shared->close();
        check(stores.empty(), "the store is gone");
    }

    store::registry stores;
    store* shared;
    std::uint32_t number = 0;
};

/// Somebody trims, and somebody fills the store up.
struct trim : store_state {
    trim() : store_state{2} {}
    void run(unsigned t) {
        if (t == 0) {
            store::block* a = acquire(1);
            release(a, 1);
            check(shared->reserve(2), "there is memory");
        } else {
            shared->trim();
            const auto c = shared->counts();
            check(c.live() <= 1 && c.idle <= 2 && c.all <= 3, "the numbers are in bounds");
        }
    }
};
const registration<trim> trim_of_two{"buffer.trim", 2};

/// The pool goes while buffers are out: the last one ends the store.
struct orphan : store_state {
    orphan() : store_state{2}, out{acquire(0), acquire(1)} {}
    void run(unsigned t) {
        if (t == 2) {
            shared->close();
        } else {
            release(out[t], t);
        }
    }
    void finish() { check(stores.empty(), "the store is gone"); }
    store::block* out[2];
};
const registration<orphan> orphan_of_three{"buffer.orphan", 3};

/// Two pools are made and go.
struct makers : store_state {
    makers() : store_state{1} {}
    void run(unsigned) {
        store* mine = store::make(shared->plan(), stores);
        store::release(mine->acquire());
        mine->close();
    }
};
const registration<makers> makers_of_two{"buffer.makers", 2};

/// The only buffer that the limit allows is in the cache of a thread, idle or not: another one gets it unless it is out.
struct steal : store_state {
    steal() : store_state{8, 1} { warm(); }
    void run(unsigned t) {
        if (t == 0) {
            use_warm_number();
        }
        if (store::block* a = acquire(t); a != nullptr) {
            got[t] = true;
            release(a, t);
        }
    }
    void finish() {
        check(got[0] || got[1], "an idle buffer is found wherever it is");
        check(shared->counts().created == 1, "no more are mapped than the limit says");
        store_state::finish();
    }
    bool got[2] = {};
};
const registration<steal> steal_of_two{"buffer.steal", 2};

/// The pool goes while a thread gives back what it caches for: the last buffer ends the store, and none is left in a cache.
struct orphan_cached : store_state {
    orphan_cached() : store_state{8, 0} {
        out[0] = acquire(0);
        out[1] = acquire(1);
        release(acquire(2), 2); // there is a cache, and a buffer in it
        number = linn::detail::this_thread_index<policy>;
    }
    void run(unsigned t) {
        if (t == 1) {
            shared->close();
            return;
        }
        use_warm_number();
        release(out[0], 0);
        release(out[1], 1);
    }
    void finish() { check(stores.empty(), "the store is gone"); }
    store::block* out[2];
};
const registration<orphan_cached> orphan_cached_of_two{"buffer.orphan_cached", 2};

/// Somebody wants two idle ones while a thread caches one, uses it and gives it back.
struct reserve_cached : store_state {
    reserve_cached() : store_state{8} { warm(); }
    void run(unsigned t) {
        if (t == 0) {
            use_warm_number();
            release(acquire(1), 1);
        } else {
            check(shared->reserve(2), "there is memory");
        }
    }
    void finish() {
        check(shared->counts().idle >= 2, "as many are idle as were asked for");
        store_state::finish();
    }
};
const registration<reserve_cached> reserve_cached_of_two{"buffer.reserve_cached", 2};

} // namespace model::of_buffers
