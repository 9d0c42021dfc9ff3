// SPDX-License-Identifier: Apache-2.0
// The store below buffer pools: buffers that are idle, live or on their way to the system.
#include "policy.hpp"

#include <linn/detail/sync/buffer_store.hpp>

#include <cstddef>

namespace model::of_buffers {

using linn::detail::buffer_mapping;
using linn::detail::buffer_request;

/// Each mapping is closed before it goes and open while it is somebody's: noted in the buffer itself, where
/// two threads at once would be a race.
struct buffer_pages {
    static std::size_t page_bytes() noexcept { return 64; }
    static bool map(const buffer_request& r, buffer_mapping& out) noexcept {
        out.data = static_cast<std::byte*>(memory_get(r.bytes, r.align));
        out.bytes = r.bytes;
        out.align = r.align;
        return true;
    }
    static void unmap(const buffer_mapping& m) noexcept {
        check(!state(m), "a buffer is closed before it goes back");
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

private:
    static bool& state(const buffer_mapping& m) { return *reinterpret_cast<bool*>(m.data); }
};

struct buffer_policy {
    using pages = buffer_pages;
    using mutex = policy::mutex;
};
using store = linn::detail::buffer_store<buffer_policy>;

struct store_state {
    explicit store_state(std::size_t retain, std::size_t most = 0) {
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

    void end() {
        const auto c = shared->counts();
        check(c.live == 0 && c.idle == c.mapped, "every buffer came back");
        check(c.mappings == c.mapped + c.returned, "every mapping is there or went back");
        shared->orphan();
        check(stores.empty(), "the store is gone");
    }

    store::registry stores;
    store* shared;
};

/// Buffers come and go, one is kept.
template <bool Twice>
struct exchange : store_state {
    exchange() : store_state{1} {}
    void run(unsigned t) {
        store::block* a = acquire(t);
        store::block* b = Twice ? acquire(t + 10) : nullptr;
        release(a, t);
        if (Twice) {
            release(b, t + 10);
        }
    }
    void finish() { end(); }
};
const registration<exchange<true>> exchange_of_two{"buffer.exchange", 2};
const registration<exchange<false>> exchange_of_three{"buffer.exchange_three", 3};

/// The limit holds for all threads together.
struct limited : store_state {
    limited() : store_state{1, 2} {}
    void run(unsigned t) {
        if (store::block* a = acquire(t); a != nullptr) {
            const auto c = shared->counts();
            check(c.mapped <= 2 && c.live <= 2 && c.idle <= 1, "no more are mapped than the limit says");
            release(a, t);
        }
    }
    void finish() { end(); }
};
const registration<limited> limited_of_three{"buffer.limit", 3};

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
            check(c.live <= 1 && c.idle <= 2 && c.mapped <= 3, "the numbers are in bounds");
        }
    }
    void finish() { end(); }
};
const registration<trim> trim_of_two{"buffer.trim", 2};

/// Somebody has more kept from now on, while buffers come back.
struct reserve : store_state {
    reserve() : store_state{0} {}
    void run(unsigned t) {
        if (t == 0) {
            check(shared->reserve(1), "there is memory");
        } else {
            store::block* a = acquire(1);
            release(a, 1);
        }
    }
    void finish() { end(); }
};
const registration<reserve> reserve_of_two{"buffer.reserve", 2};

/// The pool goes while buffers are out: the last one ends the store.
struct orphan : store_state {
    orphan() : store_state{2}, out{acquire(0), acquire(1)} {}
    void run(unsigned t) {
        if (t == 2) {
            shared->orphan();
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
        mine->orphan();
    }
    void finish() { end(); }
};
const registration<makers> makers_of_two{"buffer.makers", 2};

} // namespace model::of_buffers
