// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_FRONT_HPP
#define LINN_DETAIL_SYNC_FRONT_HPP

#include <linn/config.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/core/magazine.hpp>
#include <linn/detail/core/pointer_run.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace linn::inline LINN_ABI::detail {

template <class Policy>
class depot;

/// Reads a pointer that its owner thread may be writing: the one intended race of the library. A plain
/// `top` lets the compiler keep it in a register, or leave a free and the next allocation out
/// altogether; a relaxed atomic would forbid both, on every call of the hot path, for the sake of a
/// number in statistics. Aligned words are read whole on every processor that Linn runs on, and what is
/// read is used as a number only.
[[gnu::noinline]] __attribute__((no_sanitize("thread"))) inline void**
racy_read(void** const& place) noexcept {
    return *static_cast<void** const volatile*>(&place);
}

/// The cache that one thread has of one pool: a loaded magazine and a spare one.
///
/// All zero at the start, and zero means empty to allocate (top == bottom) as well as full to
/// deallocate (top == limit). So the one branch that the hot path has anyway covers a thread that
/// never used the pool, an empty and a full magazine, and a thread whose caches are gone.
/// Trivially destructible: it works during the destruction of thread-local and static objects.
///
/// Fields belong to the owner thread. Statistics in other threads read `shown_bottom` and `shown_spare`,
/// which are atomic, and `top`, which is not: see racy_read.
template <class Policy>
struct alignas(cache_line_bytes) front {
    template <class T>
    using atomic = typename Policy::template atomic<T>;

    void** top = nullptr;    ///< one past the loaded magazine's last object
    void** bottom = nullptr; ///< its first
    void** limit = nullptr;  ///< one past its last place

    magazine* spare = nullptr;
    depot<Policy>* home = nullptr; ///< set while attached
    std::size_t epoch = 0;         ///< depot epoch at the last visit
    std::size_t refill = 0;        ///< how many slots the next refill from slabs asks for
    std::uintptr_t thread = 0;     ///< the owner; see current_thread

    front* next_in_thread = nullptr; ///< fronts that this thread must flush when it exits
    front* next_in_depot = nullptr;  ///< guarded by the depot's lock, like the next
    front* previous_in_depot = nullptr;
    atomic<void**> shown_bottom{nullptr};
    atomic<std::size_t> shown_spare{0};

    /// Puts an object into `object`; false when none is loaded. The hot path.
    [[gnu::always_inline]] bool try_pop(void*& object) noexcept {
        void** t = top;
        if (t == bottom) [[unlikely]] {
            return false;
        }
        --t;
        top = t;
        object = *t;
        return true;
    }

    /// False when the loaded magazine is full. The hot path.
    [[gnu::always_inline]] bool try_push(void* object) noexcept {
        void** t = top;
        if (t == limit) [[unlikely]] {
            return false;
        }
        *t = object;
        top = t + 1;
        return true;
    }

    /// Moves up to `want` objects to `out`, in the order in which try_pop would. @returns how many
    std::size_t pop_run(void* out, std::size_t want) noexcept {
        const std::size_t n = want < loaded_count() ? want : loaded_count();
        if (n != 0) {
            top -= n;
            copy_reversed(out, top, n);
        }
        return n;
    }

    /// Puts as many of `count` objects as there is room for, the first on top, so that the same run comes
    /// out in the same order. @returns how many
    std::size_t push_run(const void* objects, std::size_t count) noexcept {
        const auto room = static_cast<std::size_t>(limit - top);
        const std::size_t n = count < room ? count : room;
        if (n != 0) {
            copy_reversed(top, objects, n);
            top += n;
        }
        return n;
    }

    [[nodiscard]] bool has_loaded() const noexcept { return bottom != nullptr; }
    [[nodiscard]] std::size_t loaded_count() const noexcept { return static_cast<std::size_t>(top - bottom); }

    void load(magazine* m) noexcept {
        bottom = m->slots();
        limit = bottom + m->capacity;
        shown_bottom.store(bottom, std::memory_order_relaxed);
        top = bottom + m->count;
    }

    /// Null when none was loaded.
    magazine* unload() noexcept {
        if (!has_loaded()) {
            return nullptr;
        }
        magazine* m = magazine::of(bottom);
        m->count = loaded_count();
        top = bottom = limit = nullptr;
        shown_bottom.store(nullptr, std::memory_order_relaxed);
        return m;
    }

    void set_spare(magazine* m) noexcept {
        spare = m;
        shown_spare.store(m != nullptr ? m->count : 0, std::memory_order_relaxed);
    }

    /// @pre both magazines are there
    void swap_with_spare() noexcept {
        magazine* loaded = unload();
        load(spare);
        set_spare(loaded);
    }

    /// The loaded magazine, from any thread.
    [[nodiscard]] magazine* shown_loaded() const noexcept {
        void** b = shown_bottom.load(std::memory_order_relaxed);
        return b != nullptr ? magazine::of(b) : nullptr;
    }

    /// Objects in it, from any thread: approximate while the owner works.
    [[nodiscard]] std::size_t shown_loaded_count(std::size_t most) const noexcept {
        void** b = shown_bottom.load(std::memory_order_relaxed);
        void** t = racy_read(top);
        const std::size_t loaded = b == nullptr || t < b ? 0 : static_cast<std::size_t>(t - b);
        return loaded <= most ? loaded : 0;
    }

    /// Appends what both magazines hold to a pointer_list. False when there is no memory for it.
    /// @pre the owner does not use it meanwhile
    template <class List>
    bool append_to(List& list, std::size_t most) const noexcept {
        magazine* const loaded = shown_loaded();
        return (loaded == nullptr || list.append(loaded->slots(), shown_loaded_count(most))) &&
               (spare == nullptr || list.append(spare->slots(), spare->count));
    }

    /// When its owner is gone for good, as after a fork. Its last exchange may have been cut short: one
    /// magazine may be in both places.
    void leave_magazines_to(magazine_stack& stack, std::size_t most) noexcept {
        magazine* const loaded = shown_loaded();
        if (loaded != nullptr) {
            loaded->count = shown_loaded_count(most);
            stack.push(loaded);
        }
        if (spare != nullptr && spare != loaded) {
            stack.push(spare);
        }
    }

    /// Objects in both magazines, from any thread: approximate while the owner works.
    [[nodiscard]] std::size_t shown_count(std::size_t most) const noexcept {
        return shown_loaded_count(most) + shown_spare.load(std::memory_order_relaxed);
    }
};

} // namespace linn::inline LINN_ABI::detail

#endif
