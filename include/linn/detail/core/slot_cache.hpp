// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_SLOT_CACHE_HPP
#define LINN_DETAIL_CORE_SLOT_CACHE_HPP

#include <linn/config.hpp>
#include <linn/detail/core/pointer_run.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace linn::inline LINN_ABI::detail {

/// The address of a place in an array of pointers, as a type of its own. A store of the program through any pointer of
/// its own may change a `void**`, for all that the compiler knows; then it reads `top` again after each object of a loop,
/// and waits for the store that is still on its way. No store of the program aliases an enumeration of ours.
enum class slot_place : std::uintptr_t { none = 0 };

[[LINN_DETAIL_ALWAYS_INLINE]] inline void** pointer_to(slot_place p) noexcept {
    return reinterpret_cast<void**>(static_cast<std::uintptr_t>(p));
}
[[LINN_DETAIL_ALWAYS_INLINE]] inline slot_place place_of(void** p) noexcept {
    return static_cast<slot_place>(reinterpret_cast<std::uintptr_t>(p));
}
/// `n` places further; may be negative.
[[LINN_DETAIL_ALWAYS_INLINE]] inline slot_place moved(slot_place p, std::ptrdiff_t n) noexcept {
    return static_cast<slot_place>(static_cast<std::uintptr_t>(p) +
                                   static_cast<std::uintptr_t>(n) * sizeof(void*));
}
/// How many places `high` is beyond `low`.
[[nodiscard]] inline std::size_t distance(slot_place low, slot_place high) noexcept {
    return (static_cast<std::uintptr_t>(high) - static_cast<std::uintptr_t>(low)) / sizeof(void*);
}

/// Whether code reaches the caches of its thread without a call: not in a shared library, unless it is compiled with
/// LINN_INITIAL_EXEC, not with LINN_FIBERS, and not where a library emulates thread-local variables. See
/// docs/guide/lifetime_and_threads.md.
#if defined(LINN_INITIAL_EXEC) && !LINN_DETAIL_EMULATED_TLS
#define LINN_DETAIL_FRONT_MODEL [[LINN_DETAIL_INITIAL_EXEC]]
inline constexpr bool near_thread_locals = LINN_FIBERS == 0;
#else
#define LINN_DETAIL_FRONT_MODEL
inline constexpr bool near_thread_locals =
    LINN_FIBERS == 0 && LINN_DETAIL_SHARED == 0 && LINN_DETAIL_EMULATED_TLS == 0;
#endif

/// Reads `top` or `bottom`, which its owner thread may be writing: the one intended race of the library. A plain
/// `top` lets the compiler keep it in a register, or leave a free and the next allocation out
/// altogether; a relaxed atomic would forbid both, on every call of the hot path, for the sake of a
/// number in statistics. Aligned words are read whole on every processor that Linn runs on, and what is
/// read is used as a number only.
[[LINN_DETAIL_NOINLINE]] LINN_DETAIL_UNCHECKED("thread") inline slot_place
    racy_read(const slot_place& place) noexcept {
    return *static_cast<const volatile slot_place*>(&place);
}

/// An array of pointers to free slots, used as a stack by one thread: the hot path of every cache.
///
/// All zero at the start, and zero means empty to take (top == bottom) as well as full to give
/// (top == limit). So the one branch that the hot path has anyway covers a thread that was never here, an
/// empty and a full array, and a thread whose caches are gone.
struct slot_cache {
    slot_place top{};    ///< one past the last slot
    slot_place bottom{}; ///< the first
    slot_place limit{};  ///< one past the last place

    /// Takes a slot off; where there is none, what `refill()` returns.
    ///
    /// `top` is stored once, behind the merge of both ways, so that a loop keeps it in a register: what the slow way left
    /// is read there again, and hidden from the compiler, which else would leave the store on that way out. Where even
    /// the address of a thread-local variable costs a call, each way does its own: `is_near` is false.
    template <bool is_near>
    [[LINN_DETAIL_ALWAYS_INLINE]] void* pop_or(void* (*refill)()) {
        void* slot;
        if constexpr (!is_near) {
            if (!try_pop(slot)) [[LINN_DETAIL_UNLIKELY]] {
                slot = refill();
            }
            return slot;
        }
        slot_place t = top;
        if (t == bottom) [[LINN_DETAIL_UNLIKELY]] {
            slot = refill();
            t = reread_top();
        } else {
            t = moved(t, -1);
            slot = *pointer_to(t);
        }
        top = t;
        return slot;
    }

    /// Puts a slot on; where there is no room, `flush` takes it.
    template <bool is_near>
    [[LINN_DETAIL_ALWAYS_INLINE]] void push_or(void* slot, void (*flush)(void*) noexcept) noexcept {
        if constexpr (!is_near) {
            if (!try_push(slot)) [[LINN_DETAIL_UNLIKELY]] {
                flush(slot);
            }
            return;
        }
        slot_place t = top;
        if (t == limit) [[LINN_DETAIL_UNLIKELY]] {
            flush(slot);
            t = reread_top();
        } else {
            *pointer_to(t) = slot;
            t = moved(t, 1);
        }
        top = t;
    }

    /// False when there is none.
    [[LINN_DETAIL_ALWAYS_INLINE]] bool try_pop(void*& slot) noexcept {
        slot_place t = top;
        if (t == bottom) [[LINN_DETAIL_UNLIKELY]] {
            return false;
        }
        t = moved(t, -1);
        slot = *pointer_to(t);
        top = t;
        return true;
    }

    /// False when there is no room.
    [[LINN_DETAIL_ALWAYS_INLINE]] bool try_push(void* slot) noexcept {
        slot_place t = top;
        if (t == limit) [[LINN_DETAIL_UNLIKELY]] {
            return false;
        }
        *pointer_to(t) = slot;
        top = moved(t, 1);
        return true;
    }

    /// Moves up to `want` slots to `out`, in the order in which try_pop would. @returns how many
    std::size_t pop_run(void* out, std::size_t want) noexcept {
        const std::size_t n = want < count() ? want : count();
        if (n != 0) {
            top = moved(top, -static_cast<std::ptrdiff_t>(n));
            copy_reversed(out, pointer_to(top), n);
        }
        return n;
    }

    /// Puts as many of `count` slots as there is room for, the first on top, so that the same run comes
    /// out in the same order. @returns how many
    std::size_t push_run(const void* from, std::size_t count) noexcept {
        const std::size_t room = distance(top, limit);
        const std::size_t n = count < room ? count : room;
        if (n != 0) {
            copy_reversed(pointer_to(top), from, n);
            top = moved(top, static_cast<std::ptrdiff_t>(n));
        }
        return n;
    }

    /// Whether there is an array.
    [[nodiscard]] bool has_places() const noexcept { return limit != bottom; }
    [[nodiscard]] std::size_t count() const noexcept { return distance(bottom, top); }
    [[nodiscard]] std::size_t capacity() const noexcept { return distance(bottom, limit); }
    [[nodiscard]] void** entries() const noexcept { return pointer_to(bottom); }

    /// @param places an array of `capacity`, whose first `count` hold slots
    void use(void** places, std::size_t count, std::size_t capacity) noexcept {
        bottom = place_of(places);
        limit = place_of(places + capacity);
        top = place_of(places + count);
    }

    /// Forgets the `n` slots that came first. @pre there are as many
    void drop_oldest(std::size_t n) noexcept {
        const std::size_t rest = count() - n;
        if (n != 0) {
            std::memmove(entries(), entries() + n, rest * sizeof(void*));
        }
        top = place_of(entries() + rest);
    }

    /// The array, from any thread. Null when there is none.
    [[nodiscard]] void** shown_entries() const noexcept { return pointer_to(racy_read(bottom)); }
    /// How many slots are in it, from any thread: approximate while the owner works.
    /// @param most no more are believed
    [[nodiscard]] std::size_t shown_count(std::size_t most) const noexcept {
        const slot_place b = racy_read(bottom);
        const slot_place t = racy_read(top);
        const std::size_t n = b == slot_place::none || t < b ? 0 : distance(b, t);
        return n <= most ? n : 0;
    }

private:
    [[LINN_DETAIL_ALWAYS_INLINE]] slot_place reread_top() const noexcept {
        slot_place t = top;
        LINN_DETAIL_HIDE(t);
        return t;
    }
};

/// What a thread caches of the slots of one size: up to two magazines, of which one at a time moves between it and the slabs. So
/// a thread whose number of objects goes up and down by less than a magazine stays away from them.
///
/// An array and not a list through the objects: neither putting nor getting touches the object, so
/// a cold object costs no cache miss, and no miss depends on the one before it.
///
/// @source Bonwick, Adams: Magazines and Vmem, USENIX 2001, section 3
struct magazine_cache : slot_cache {
    std::uint32_t epoch = 0;  ///< how many trims there were at the last flush
    std::uint32_t refill = 0; ///< how many slots the next refill asks for

    static constexpr std::uint32_t first_refill = 4;

    /// How many slots a full cache gives back, the oldest first: half of them, or all where `now`, which counts trims, is another
    /// than at the last flush.
    std::size_t to_flush(std::uint32_t now) noexcept {
        const bool all = epoch != now;
        epoch = now;
        return all ? count() : (count() + 1) / 2;
    }
};

} // namespace linn::inline LINN_ABI::detail

#endif
