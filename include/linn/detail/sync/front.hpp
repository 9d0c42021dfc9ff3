// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_FRONT_HPP
#define LINN_DETAIL_SYNC_FRONT_HPP

#include <linn/config.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/core/magazine.hpp>

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

    /// Objects in both magazines, from any thread: approximate while the owner works.
    [[nodiscard]] std::size_t shown_count(std::size_t most) const noexcept {
        void** b = shown_bottom.load(std::memory_order_relaxed);
        void** t = racy_read(top);
        const std::size_t loaded = b == nullptr || t < b ? 0 : static_cast<std::size_t>(t - b);
        return (loaded <= most ? loaded : 0) + shown_spare.load(std::memory_order_relaxed);
    }
};

} // namespace linn::inline LINN_ABI::detail

#endif
