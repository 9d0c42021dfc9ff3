// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_BUFFER_STORE_HPP
#define LINN_DETAIL_SYNC_BUFFER_STORE_HPP

#include <linn/config.hpp>
#include <linn/detail/os/buffer_pages.hpp>
#include <linn/detail/sanitizer/valgrind.hpp>
#include <linn/detail/sync/handlers.hpp>
#include <linn/detail/sync/idle_core.hpp>
#include <linn/detail/sync/mutex.hpp>
#include <linn/types/pool_statistics.hpp>

#include <cstddef>
#include <new>
#include <string_view>

namespace linn::inline LINN_ABI::detail {

/// What a store is made with, checked and rounded.
struct buffer_plan {
    std::size_t bytes = 0; ///< as the user said
    buffer_request request{};
    std::size_t retain = 0; ///< idle buffers that are kept
    std::size_t most = 0;   ///< buffers that may be mapped at once; 0: no limit
    bool prefault = false;
    const void* pool = nullptr; ///< whom the observer hears of
};

inline constexpr std::string_view buffer_type_name = "linn::buffer";

/// Buffers of one size. Lives until its pool is gone *and* its last buffer came back.
///
/// Every buffer is idle and closed, or live and open (its block belongs to a handle), or a thread is just mapping it.
///
/// @tparam Pages of the system; tests put others in its place
/// @threads any; once `close` is called, no other call but `release` runs or follows
template <class Policy = platform, class Pages = system_buffer_pages>
class buffer_store : public idle_core<Policy, buffer_store<Policy, Pages>> {
public:
    using core = idle_core<Policy, buffer_store>;
    using typename core::item;
    static constexpr bool few = true;

    /// The descriptor of a buffer, apart from it: neither acquire nor release touches the memory.
    struct block : item {
        std::size_t size = 0; ///< as the user said
        buffer_mapping memory{};
    };

    /// Null when there is no memory for it.
    static buffer_store* make(const buffer_plan& plan,
                              typename core::registry& stores = core::registry::process()) noexcept {
        auto* store = ::new (std::nothrow) buffer_store{plan};
        if (store != nullptr) {
            stores.enter(*store);
        }
        return store;
    }

    /// The buffer that came back last on this thread, else another idle one, else a new one. Null when the system or the
    /// limit says no.
    [[nodiscard]] [[LINN_DETAIL_ALWAYS_INLINE]] block* acquire() noexcept {
        item* s = nullptr;
        if (this->try_take(s) && open(s)) [[LINN_DETAIL_LIKELY]] {
            return static_cast<block*>(s);
        }
        return acquire_slow(s);
    }

    /// Takes a buffer back, on any thread, also after `close`.
    [[LINN_DETAIL_ALWAYS_INLINE]] static void release(block* b) noexcept {
        auto* const store = static_cast<buffer_store*>(b->home);
        Pages::close(b->memory, store->protect_idle_);
        store->put(b);
    }

    /// Sees to it that `n` buffers are idle, and that as many are kept from now on.
    /// @returns false when the system or the limit says no; what was made so far is kept
    [[nodiscard]] bool reserve(std::size_t n) noexcept {
        for (;;) {
            const idle_offer what = this->place_below(n);
            if (what != idle_offer::place) {
                return what == idle_offer::item || refused();
            }
            block* b = map();
            if (b == nullptr) {
                return false;
            }
            Pages::close(b->memory, protect_idle_);
            this->put_for_all(b); // not kept only if as many are idle as may be
        }
    }

    /// The numbers that every kind of pool has. An object is a buffer.
    [[nodiscard]] pool_statistics statistics(const idle_counts& c) const noexcept {
        pool_statistics s;
        s.type = buffer_type_name;
        s.object_bytes = plan_.bytes;
        s.slot_bytes = plan_.request.bytes;
        s.live = c.live();
        s.peak = c.peak;
        s.cached = c.all - s.live; // while buffers move, one may be seen in two fronts
        s.slabs = c.all;
        s.reserved_bytes = s.resident_bytes = c.all * s.slot_bytes;
        s.returned_bytes = (c.created - c.all) * s.slot_bytes;
        s.depot_visits = c.visits;
        s.contended = c.contended;
        return s;
    }

    [[nodiscard]] const buffer_plan& plan() const noexcept { return plan_; }

private:
    friend core;

    explicit buffer_store(const buffer_plan& plan) noexcept
        : core{plan.retain, plan.most},
          plan_{plan},
          protect_idle_{(checked_build && !sanitizer_poison) || running_on_memcheck()} {}

    /// @param lost null, or a buffer that the system does not open: the next may do
    [[LINN_DETAIL_NOINLINE]] block* acquire_slow(item* lost) noexcept {
        for (;;) {
            if (lost != nullptr) {
                {
                    const lock_guard<typename Policy::mutex> guard{this->lock_};
                    --this->acquired_;
                }
                this->destroy(lost);
            }
            item* s = nullptr;
            const idle_offer what = this->take_slow(s, at_once);
            if (what == idle_offer::item) {
                if (open(s)) [[LINN_DETAIL_LIKELY]] {
                    return static_cast<block*>(s);
                }
                lost = s;
                continue;
            }
            block* b = what == idle_offer::place ? map() : nullptr;
            if (b != nullptr) {
                const lock_guard<typename Policy::mutex> guard{this->lock_};
                this->note_acquired();
            } else if (what == idle_offer::nothing) {
                refused();
            }
            return b;
        }
    }

    /// An open buffer in the place that the caller has. Null when the system refuses; then the place is given up.
    block* map() noexcept {
        auto* b = ::new (std::nothrow) block{{this}, plan_.bytes};
        const bool mapped = b != nullptr && Pages::map(plan_.request, b->memory);
        if (mapped) {
            Pages::open(b->memory, false); // lifts no protection, so nothing can be refused
            if (!plan_.prefault || Pages::prefault(b->memory)) {
                tell(pool_event_kind::slab_mapped, 1);
                return b;
            }
            Pages::close(b->memory, false);
            Pages::unmap(b->memory);
        }
        delete b;
        this->give_up_place();
        tell(pool_event_kind::out_of_memory, 1);
        return nullptr;
    }

    void dispose(item* s) noexcept {
        auto* const b = static_cast<block*>(s);
        Pages::unmap(b->memory);
        delete b;
    }
    void note_disposed(std::size_t n) noexcept { tell(pool_event_kind::slab_returned, n); }

    /// False when the system does not lift the protection.
    bool open(item* s) noexcept { return Pages::open(static_cast<block*>(s)->memory, protect_idle_); }

    /// @returns false
    bool refused() const noexcept {
        tell(pool_event_kind::limit_reached, 1);
        return false;
    }

    void tell(pool_event_kind kind, std::size_t n) const noexcept {
        tell_observer(
            {kind, buffer_type_name, this->closed() ? nullptr : plan_.pool, n, n * plan_.request.bytes});
    }

    const buffer_plan plan_;
    const bool protect_idle_; ///< idle memory is inaccessible, if no checker reports misuse
};

} // namespace linn::inline LINN_ABI::detail

#endif
