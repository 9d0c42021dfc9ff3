// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_FRONT_HPP
#define LINN_DETAIL_SYNC_FRONT_HPP

#include <linn/config.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/core/slot_cache.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace linn::inline LINN_ABI::detail {

struct system_pages;
struct coarse_clock;
class mutex;
struct parking;

/// What the engine takes from outside: where pages come from, what time it is, how it locks and waits, what an
/// atomic is. Named here; mutex.hpp says what the last two are.
/// Tests put others in its place, to make pages fail, threads stumble and orders be enumerated.
struct platform {
    using pages = system_pages;
    using clock = coarse_clock;
    using mutex = detail::mutex;
    using parking = detail::parking;
    template <class T>
    using atomic = std::atomic<T>;
};

/// An array of pointers to free objects. The slots follow the struct in memory.
///
/// An array and not a list through the objects: neither putting nor getting touches the object, so
/// a cold object costs no cache miss, and no miss depends on the one before it.
///
/// @source Bonwick, Adams: Magazines and Vmem, USENIX 2001, section 3
struct magazine {
    magazine* next = nullptr;
    std::size_t count = 0;    ///< while it is loaded in a front, the front's `top` says it instead
    std::size_t capacity = 0; ///< places that its memory has

    static constexpr std::size_t bytes_for(std::size_t capacity) noexcept {
        return sizeof(magazine) + capacity * sizeof(void*);
    }
    void** entries() noexcept { return reinterpret_cast<void**>(this + 1); }

    /// The magazine whose slots() is `bottom`.
    static magazine* of(void** bottom) noexcept { return reinterpret_cast<magazine*>(bottom) - 1; }
};

/// Magazines, last in first out.
class magazine_stack {
public:
    void push(magazine* m) noexcept {
        m->next = head_;
        head_ = m;
    }
    /// Null when empty.
    magazine* pop() noexcept {
        magazine* m = head_;
        if (m != nullptr) {
            head_ = m->next;
            m->next = nullptr;
        }
        return m;
    }

    /// Appends what all magazines hold to a pointer_set. False when there is no memory for it.
    template <class Set>
    bool append_to(Set& set) const noexcept {
        for (magazine* m = head_; m != nullptr; m = m->next) {
            if (!set.append(m->entries(), m->count)) {
                return false;
            }
        }
        return true;
    }

private:
    magazine* head_ = nullptr;
};

template <class Policy>
class depot;

/// Where other threads find a depot once it is made. A number, because the debug information of one more kind of atomic would take
/// 13 KB in each object file that uses a pool.
template <class Policy>
using depot_place = typename Policy::template atomic<std::uintptr_t>;

/// The cache that one thread has of one pool: a loaded magazine and a spare one.
///
/// Trivially destructible: it works during the destruction of thread-local and static objects.
///
/// Fields belong to the owner thread. Statistics in other threads read `shown_spare`,
/// which is atomic, and `top` and `bottom`, which are not: see racy_read.
template <class Policy>
struct alignas(cache_line_bytes) front : slot_cache {
    template <class T>
    using atomic = typename Policy::template atomic<T>;

    magazine* spare = nullptr;
    depot<Policy>* home = nullptr; ///< set while attached
    std::size_t epoch = 0;         ///< depot epoch at the last visit
    std::size_t refill = 0;        ///< how many slots the next refill from slabs asks for
    std::uintptr_t thread = 0;     ///< the owner; see current_thread

    front* next_in_thread = nullptr; ///< fronts that this thread must flush when it exits
    front* next_in_depot = nullptr;  ///< guarded by the depot's lock, like the next
    front* previous_in_depot = nullptr;
    atomic<std::uintptr_t> shown_spare{0}; ///< its `count`; of that type: see depot_place

    [[nodiscard]] bool has_loaded() const noexcept { return has_places(); }

    void load(magazine* m) noexcept { use(m->entries(), m->count, m->capacity); }

    /// Null when none was loaded.
    magazine* unload() noexcept {
        if (!has_loaded()) {
            return nullptr;
        }
        magazine* m = magazine::of(entries());
        m->count = count();
        top = bottom = limit = slot_place::none;
        return m;
    }

    void set_spare(magazine* m) noexcept {
        spare = m;
        shown_spare.store(m != nullptr ? m->count : 0, std::memory_order_relaxed);
    }

    /// @pre both magazines are there
    [[LINN_DETAIL_SLOW]] void swap_with_spare() noexcept {
        magazine* loaded = unload();
        load(spare);
        set_spare(loaded);
    }

    /// The loaded magazine, from any thread.
    [[nodiscard]] magazine* shown_loaded() const noexcept {
        void** const b = shown_entries();
        return b != nullptr ? magazine::of(b) : nullptr;
    }

    /// Appends what both magazines hold to a pointer_set. False when there is no memory for it.
    /// @pre the owner does not use it meanwhile
    template <class Set>
    bool append_to(Set& set, std::size_t most) const noexcept {
        magazine* const loaded = shown_loaded();
        return (loaded == nullptr || set.append(loaded->entries(), slot_cache::shown_count(most))) &&
               (spare == nullptr || set.append(spare->entries(), spare->count));
    }

    /// When its owner is gone for good, as after a fork. Its last exchange may have been cut short: one
    /// magazine may be in both places. @returns how many objects they hold
    std::size_t leave_magazines_to(magazine_stack& stack, std::size_t most) noexcept {
        std::size_t objects = 0;
        magazine* const loaded = shown_loaded();
        if (loaded != nullptr) {
            objects = loaded->count = slot_cache::shown_count(most);
            stack.push(loaded);
        }
        if (spare != nullptr && spare != loaded) {
            objects += spare->count;
            stack.push(spare);
        }
        return objects;
    }

    /// Objects in both magazines, from any thread: approximate while the owner works.
    [[nodiscard]] std::size_t shown_count(std::size_t most) const noexcept {
        return slot_cache::shown_count(most) + shown_spare.load(std::memory_order_relaxed);
    }
};

} // namespace linn::inline LINN_ABI::detail

#endif
