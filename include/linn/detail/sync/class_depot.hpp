// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_CLASS_DEPOT_HPP
#define LINN_DETAIL_SYNC_CLASS_DEPOT_HPP

#include <linn/config.hpp>
#include <linn/detail/core/slab_set.hpp>
#include <linn/detail/core/slot_cache.hpp>
#include <linn/detail/sync/misuse.hpp>
#include <linn/detail/sync/mutex.hpp>
#include <linn/types/pool_statistics.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace linn::inline LINN_ABI::detail {

/// Pages for a set of slabs that are brought to it: it maps none by itself.
template <page_source Pages>
struct brought_pages : Pages {
    static constexpr bool zeroed = false;
    static void* map(std::size_t, std::size_t) noexcept { return nullptr; }
};

/// What one thread caches of one size class.
struct class_front : slot_cache {
    std::uint32_t epoch = 0;  ///< of the resource, at the last visit of the depot
    std::uint32_t refill = 0; ///< how many slots the next refill asks for
};
static_assert(sizeof(class_front) == 4 * sizeof(void*) || sizeof(void*) != 8);

/// What all threads share of one size class of one resource: the slabs and one
/// lock. Slabs are brought to it and taken away again: it never asks for memory.
///
/// Invariant, at quiescence: slots out of the slabs == live + in fronts + lost,
/// where `lost` are slots that threads held which a fork left behind in its child.
template <class Policy>
class class_depot {
public:
    using mutex_type = typename Policy::mutex;
    using slabs_type = slab_set<brought_pages<typename Policy::pages>>;

    /// @param owner takes `lock()` at a fork
    class_depot(fork_stopper& owner, const geometry& g) noexcept : lock_{owner}, slabs_{g, this} {}

    class_depot(const class_depot&) = delete;
    class_depot& operator=(const class_depot&) = delete;

    // -- threads with a front --------------------------------------------------------------------

    /// Loads slots and pops one. Null when a slab must be brought first. @pre `f` has an array, and is empty
    void* take(class_front& f) noexcept {
        lock_guard<mutex_type> guard{lock_};
        note_visit(guard.waited());
        void** const entries = f.entries();
        const std::size_t most = f.capacity() / 2;
        const std::size_t want = clamp(f.refill, 1, most);
        const std::size_t got = slabs_.take(entries + want, want);
        if (got != want) {
            std::memmove(entries, entries + (want - got), got * sizeof(void*));
        }
        f.refill = static_cast<std::uint32_t>(clamp(2 * want, 1, most));
        f.use(entries, got, f.capacity());
        void* slot = nullptr;
        f.try_pop(slot);
        return slot;
    }

    /// Makes room for the older half, or for all that `f` holds, and pushes `slot`.
    /// @pre `f` has an array @returns whether the caller should return the memory that `take_cold` finds
    bool put(class_front& f, void* slot, bool all, refusals& refused) noexcept {
        void** const entries = f.entries();
        const std::size_t n = all ? f.count() : (f.count() + 1) / 2;
        const std::size_t kept = f.count() - n;
        bool leaving = false;
        {
            lock_guard<mutex_type> guard{lock_};
            note_visit(guard.waited());
            slabs_.give(entries, n, refused);
            leaving = slabs_.has_excess();
        }
        std::memmove(entries, entries + n, kept * sizeof(void*));
        f.use(entries, kept, f.capacity());
        f.try_push(slot);
        return leaving;
    }

    // -- threads without one -----------------------------------------------------------------------

    void* take_one() noexcept {
        lock_guard<mutex_type> guard{lock_};
        note_visit(guard.waited());
        void* slot = nullptr;
        slabs_.take(&slot + 1, 1);
        return slot;
    }

    /// @returns as `put`
    [[nodiscard]] bool put_one(void* slot, refusals& refused) noexcept {
        lock_guard<mutex_type> guard{lock_};
        note_visit(guard.waited());
        slabs_.give(&slot, 1, refused);
        return slabs_.has_excess();
    }

    // -- slabs ---------------------------------------------------------------------------------------

    [[nodiscard]] std::size_t next_slab_bytes() noexcept {
        lock_guard<mutex_type> guard{lock_};
        return slabs_.next_slab_bytes();
    }
    [[nodiscard]] const geometry& sizes() const noexcept { return slabs_.sizes(); }

    bool adopt(void* memory, std::size_t bytes, bool zeroed) noexcept {
        lock_guard<mutex_type> guard{lock_};
        return slabs_.adopt(memory, bytes, zeroed);
    }

    /// Puts what `f` holds back into the slabs.
    void flush(class_front& f, refusals& refused) noexcept {
        lock_guard<mutex_type> guard{lock_};
        if (f.has_places()) {
            slabs_.give(f.entries(), f.count(), refused);
            f.use(f.entries(), 0, f.capacity());
        }
    }

    /// An empty slab, which is the caller's now; null when there is none.
    slab* take_empty() noexcept {
        lock_guard<mutex_type> guard{lock_};
        cold_pages leaving;
        if (slabs_.take_empty(leaving)) {
            slabs_.disown(leaving.of);
        }
        return leaving.of;
    }

    /// As slab_set::take_cold. A slab that is `whole` is the caller's now, any other one is expected by `put_cold`.
    bool take_cold(cold_pages& leaving) noexcept {
        lock_guard<mutex_type> guard{lock_};
        const bool found = slabs_.has_excess() && slabs_.take_cold(Policy::clock::now_ms(), leaving);
        if (found && leaving.whole) {
            slabs_.disown(leaving.of);
        }
        return found;
    }
    void put_cold(const cold_pages& leaving, std::size_t bytes) noexcept {
        lock_guard<mutex_type> guard{lock_};
        slabs_.put_cold(leaving, bytes);
    }

    /// Gives free pages of slabs in use back to the system. @returns bytes
    std::size_t discard_free_pages() noexcept {
        lock_guard<mutex_type> guard{lock_};
        std::size_t bytes = 0;
        for (slab* s = slabs_.newest(); s != nullptr; s = s->older) {
            bytes += slabs_.discard_free_pages(s);
        }
        return bytes;
    }

    /// Passes every slab to `put(slab)`. @pre no other thread uses the depot, now or later
    template <class Put>
    void give_up(Put&& put) noexcept {
        for (slab* s = slabs_.newest(); s != nullptr;) {
            slab* older = s->older;
            s->magic = 0;
            s->owner = nullptr;
            put(s);
            s = older;
        }
        slabs_.forget_all();
    }

    void note_returned(std::size_t bytes) noexcept {
        lock_guard<mutex_type> guard{lock_};
        returned_bytes_ += bytes;
    }

    // -- the rest -------------------------------------------------------------------------------------

    /// Whether `p`, which may be any pointer, lies in one of the slabs. @complexity O(slabs)
    [[nodiscard]] bool contains(const void* p) noexcept {
        lock_guard<mutex_type> guard{lock_};
        return slabs_.find(p) != nullptr;
    }

    /// All but what only the resource knows. @param in_fronts slots that threads cache
    [[nodiscard]] pool_statistics statistics(std::size_t in_fronts) noexcept {
        lock_guard<mutex_type> guard{lock_};
        pool_statistics s;
        s.object_bytes = s.slot_bytes = slabs_.sizes().slot_bytes;
        s.cached = in_fronts;
        const std::size_t not_live = s.cached + lost_;
        s.live = slabs_.out() > not_live ? slabs_.out() - not_live : 0;
        slabs_.add_to(s);
        s.returned_bytes += returned_bytes_;
        s.depot_visits = visits_;
        s.contended = contended_;
        return s;
    }

    [[nodiscard]] bool consistent() noexcept {
        lock_guard<mutex_type> guard{lock_};
        return slabs_.consistent();
    }

    // -- fork ------------------------------------------------------------------------------------------

    mutex_type& lock() noexcept { return lock_; }
    /// In the child of a fork, with the lock held.
    void lose(std::size_t count) noexcept { lost_ += count; }
    /// The same.
    void put_back_all() noexcept { slabs_.put_back_all(); }

private:
    void note_visit(bool waited) noexcept {
        ++visits_;
        contended_ += waited ? 1 : 0;
    }

    mutex_type lock_;
    slabs_type slabs_;
    std::size_t returned_bytes_ = 0;
    std::size_t lost_ = 0;
    std::size_t visits_ = 0;
    std::size_t contended_ = 0;
};

} // namespace linn::inline LINN_ABI::detail

#endif
