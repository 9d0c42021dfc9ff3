// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_FIXED_POOL_HPP
#define LINN_FIXED_POOL_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

#include <linn/detail/core/element.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/core/unaliased.hpp>
#include <linn/detail/sanitizer/asan.hpp>
#include <linn/detail/sync/handlers.hpp>
#include <linn/options.hpp>
#include <linn/types/pool_statistics.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace linn::inline LINN_ABI {

/// A pool of at most N objects that lie in the pool object itself. It never asks anybody for memory:
/// a full pool gives null. Every call takes a bounded number of instructions.
///
/// It starts as all zero bytes, so a static one is `constinit`, lies in `.bss`, and pages that no
/// object has used stay untouched. Besides its objects it holds one index (1, 2 or 4 bytes) and one
/// bit for each. With N = 0 it is always full.
///
/// Every build checks each free: a double free, a foreign and an interior pointer are reported to
/// the misuse handler, and ignored if it returns. `destroy` checks before it calls the
/// destructor.
///
/// Of the options only `cache_line_padding` and `on_survivors` have an effect here. The memory is gone
/// with the pool, so objects that outlive it are lost under any policy: `survivors::report`
/// reports them in checked builds, `survivors::abort` in all, `survivors::keep` in none. If
/// nothing is reported, the pool is trivially destructible: a static one registers no exit
/// handler and may be used until the very end of the program.
///
/// A class with a private constructor or destructor makes this class its friend.
///
/// @complexity O(1) and no call unless stated otherwise, and the constructors and destructors of T
/// @threads one at a time, to allocate and to free; not for signal handlers, unless the signal is
///          blocked around every other use
/// @snippet examples/17_fixed_pool.cpp
template <class T, std::size_t N, pool_options O = default_options<T>>
class fixed_pool {
    static_assert(detail::checked_options<O>::done);
    static_assert(N <= (std::numeric_limits<std::uint32_t>::max)(),
                  "linn::fixed_pool: more than 2^32 - 1 objects");
    using element = detail::sized<T>;

    static constexpr bool reports_survivors =
        O.on_survivors == survivors::abort || (detail::checked_build && O.on_survivors == survivors::report);
    // The next user of the memory must find it unpoisoned.
    static constexpr bool destructor_works = reports_survivors || detail::sanitizer_poison;

public:
    using value_type = T;
    static constexpr pool_options options = O;

    /// All zero bytes.
    constexpr fixed_pool() noexcept = default;
    fixed_pool(const fixed_pool&) = delete;
    fixed_pool& operator=(const fixed_pool&) = delete;

    ~fixed_pool()
        requires(!destructor_works)
    = default;

    ~fixed_pool() {
        detail::unpoison(slots_.bytes, sizeof slots_.bytes);
        if (reports_survivors && !empty()) {
            misuse m{misuse_kind::objects_alive, type_name, this, live()};
            m.object_bytes = sizeof(element);
            detail::report(m);
            if constexpr (O.on_survivors == survivors::abort) {
                std::abort();
            }
        }
    }

    /// Storage for one T, uninitialised; null when the pool is full. @complexity O(1), no call
    [[nodiscard]] T* try_allocate() noexcept {
        std::size_t slot;
        if (free_count_ != 0) [[LINN_DETAIL_LIKELY]] {
            slot = free_.indices[--free_count_];
        } else if (carved_ != N) {
            slot = carve();
        } else {
            return nullptr;
        }
        out_[slot / word_bits] |= bit(slot);
        void* p = slots_.bytes + slot * sizes.slot_bytes;
        detail::open_slot(p, sizeof(element));
        return detail::typed<T>(p);
    }

    /// As `try_allocate`. @throws std::bad_alloc when the pool is full
    [[nodiscard, LINN_DETAIL_RETURNS_NONNULL]] T* allocate() {
        T* p = try_allocate();
        if (p == nullptr) [[LINN_DETAIL_UNLIKELY]] {
            detail::throw_bad_alloc();
        }
        return p;
    }

    /// Takes storage back. @pre `p` came from this pool; its object is destroyed. @complexity O(1)
    void deallocate(T* p) noexcept {
        const std::size_t slot = slot_of(p);
        if (!is_out(slot)) [[LINN_DETAIL_UNLIKELY]] {
            refuse(p);
            return;
        }
        give(slot);
    }

    /// A new object, constructed from `args`; null when the pool is full.
    /// @throws what the constructor throws; the storage is back in the pool then
    template <class... Args>
    [[nodiscard]] T* try_create(Args&&... args) noexcept(constructs_silently<Args...>()) {
        T* p = try_allocate();
        return p != nullptr ? start(p, std::forward<Args>(args)...) : nullptr;
    }

    /// As `try_create`. @throws std::bad_alloc when the pool is full
    template <class... Args>
    [[nodiscard]] T* create(Args&&... args) {
        return start(allocate(), std::forward<Args>(args)...);
    }

    /// Destroys `p`, which may be null, and takes its storage back.
    void destroy(T* p) noexcept {
        if (p == nullptr) {
            return;
        }
        const std::size_t slot = slot_of(p);
        if (!is_out(slot)) [[LINN_DETAIL_UNLIKELY]] {
            refuse(p);
            return;
        }
        p->~T();
        give(slot);
    }

    /// Storage for `out.size()` objects, uninitialised; false, and nothing changed, when there is not
    /// enough. @complexity O(out.size())
    [[nodiscard]] bool try_allocate_n(std::span<T*> out) noexcept {
        if (out.size() > N - live()) [[LINN_DETAIL_UNLIKELY]] {
            return false;
        }
        for (T*& p : out) {
            p = try_allocate();
        }
        return true;
    }

    /// As `try_allocate_n`. @throws std::bad_alloc when there is not enough; then nothing changed
    void allocate_n(std::span<T*> out) {
        if (!try_allocate_n(out)) [[LINN_DETAIL_UNLIKELY]] {
            detail::throw_bad_alloc();
        }
    }

    /// Takes the storage of many objects back. @complexity O(objects.size())
    void deallocate_n(std::span<T* const> objects) noexcept {
        for (T* p : objects) {
            deallocate(p);
        }
    }

    /// Drops all objects at once, without calling destructors. @complexity O(N / 64)
    void release() noexcept {
        peak_before_ = peak();
        free_count_ = 0;
        carved_ = 0;
        for (std::uint64_t& word : out_) {
            word = 0;
        }
        detail::poison(slots_.bytes, sizeof slots_.bytes);
    }

    /// Calls `f(object)` for each object that is alive, storage that was only allocated included, in
    /// order of address. `f` may destroy objects, which are not visited then, and create some, of
    /// which it is not said whether they are.
    /// @returns the number of objects visited
    /// @throws what `f` throws
    /// @complexity O(N / 64 + live)
    template <class F>
    std::size_t for_each_live(F&& f) {
        std::size_t visited = 0;
        for (std::size_t w = 0; w < words; ++w) {
            for (std::uint64_t rest = out_[w]; rest != 0; rest &= rest - 1) {
                const std::size_t slot = w * word_bits + static_cast<std::size_t>(std::countr_zero(rest));
                if (is_out(slot)) {
                    f(*object_in(slot));
                    ++visited;
                }
            }
        }
        return visited;
    }

    /// Whether `p`, which may be any pointer, points into a slot of this pool.
    [[nodiscard]] bool owns(const volatile void* p) const noexcept {
        return offset_of(p) < N * sizes.slot_bytes;
    }

    [[nodiscard]] static constexpr std::size_t capacity() noexcept { return N; }

    /// Objects handed out now.
    [[nodiscard]] std::size_t live() const noexcept {
        return std::size_t{carved_} - std::size_t{free_count_};
    }
    [[nodiscard]] bool empty() const noexcept { return live() == 0; }
    [[nodiscard]] bool full() const noexcept { return live() == N; }

    [[nodiscard]] pool_statistics statistics() const noexcept {
        pool_statistics s;
        s.type = type_name;
        s.object_bytes = sizeof(element);
        s.slot_bytes = sizes.slot_bytes;
        s.live = live();
        s.peak = peak();
        s.cached = free_count_;
        s.threads = 1;
        s.reserved_bytes = N * sizes.slot_bytes;
        s.resident_bytes = peak() * sizes.slot_bytes;
        return s;
    }

private:
    // Without guards in checked builds too: the size of a pool that lies in memory of the user's is the same.
    static constexpr detail::geometry sizes = detail::make_geometry(
        sizeof(element), alignof(element), {.cache_line_padding = O.cache_line_padding});
    static_assert(N <= static_cast<std::size_t>(PTRDIFF_MAX) / 2 / sizes.slot_bytes,
                  "linn::fixed_pool: N objects are larger than the address space");
    static constexpr detail::exact_divider by_slot_bytes{sizes.slot_bytes};
    static constexpr std::string_view type_name = detail::type_name<T>();
    static constexpr std::size_t word_bits = 64;
    static constexpr std::size_t words = (N + word_bits - 1) / word_bits;
    static constexpr std::size_t room = N != 0 ? N : 1; // an array has an element at least

    using index = std::conditional_t<N <= 1 << 8, std::uint8_t,
                                     std::conditional_t<N <= 1 << 16, std::uint16_t, std::uint32_t>>;

    static constexpr std::uint64_t bit(std::size_t slot) noexcept {
        return std::uint64_t{1} << (slot % word_bits);
    }

    /// The next slot that was never used. It is taken only when all slots before it are out, so
    /// `carved_` is the peak too.
    std::size_t carve() noexcept {
        if (detail::sanitizer_poison && carved_ == 0) {
            detail::poison(slots_.bytes, sizeof slots_.bytes);
        }
        return carved_++;
    }

    void give(std::size_t slot) noexcept {
        detail::poison(slots_.bytes + slot * sizes.slot_bytes, sizeof(element));
        out_[slot / word_bits] &= ~bit(slot);
        free_.indices[free_count_++] = static_cast<index>(slot);
    }

    // In the class, so that one with a private constructor needs no other friend.
    LINN_DETAIL_FEW_VALUES_BEGIN
    template <class... Args>
    static T* construct(void* place,
                        Args&&... args) noexcept(noexcept(::new(place) T(std::forward<Args>(args)...))) {
        return ::new (place) T(std::forward<Args>(args)...);
    }
    LINN_DETAIL_FEW_VALUES_END

    template <class... Args>
    static consteval bool constructs_silently() noexcept {
        if constexpr (detail::creatable<T>) {
            return noexcept(construct(std::declval<void*>(), std::declval<Args>()...));
        }
        return true;
    }

    template <class... Args>
    T* start(T* p, Args&&... args) noexcept(constructs_silently<Args...>()) {
        if constexpr (detail::creatable<T>) {
            return detail::start_or(
                [&] { return construct(detail::untyped(p), std::forward<Args>(args)...); },
                [this, p] { deallocate(p); });
        } else {
            return detail::refuse_to_create<T>();
        }
    }

    /// The slot that starts at `p`; at least N if there is none.
    std::size_t slot_of(const volatile void* p) const noexcept {
        return by_slot_bytes.quotient(offset_of(p));
    }
    bool is_out(std::size_t slot) const noexcept {
        return slot < N && (out_[slot / word_bits] & bit(slot)) != 0;
    }

    /// Wraps around for what lies before the slots.
    std::size_t offset_of(const volatile void* p) const noexcept {
        return reinterpret_cast<std::uintptr_t>(p) - reinterpret_cast<std::uintptr_t>(slots_.bytes);
    }

    T* object_in(std::size_t slot) noexcept {
        return std::launder(detail::typed<T>(slots_.bytes + slot * sizes.slot_bytes));
    }

    [[LINN_DETAIL_COLD]] void refuse(const volatile void* p) const noexcept {
        misuse m{misuse_kind::foreign_pointer, type_name, const_cast<const void*>(p), 1};
        m.object_bytes = sizeof(element);
        if (owns(p)) {
            m.offset = static_cast<std::ptrdiff_t>(offset_of(p) % sizes.slot_bytes);
            m.object = static_cast<const std::byte*>(m.address) - m.offset;
            m.kind = m.offset == 0                                           ? misuse_kind::double_free
                     : reinterpret_cast<std::uintptr_t>(p) % alignof(T) != 0 ? misuse_kind::misaligned_pointer
                                                                             : misuse_kind::interior_pointer;
        }
        detail::report(m);
    }

    [[nodiscard]] std::size_t peak() const noexcept {
        return carved_ > peak_before_ ? std::size_t{carved_} : peak_before_;
    }

    // Unions, so that a pool on the stack is made without writing these arrays, and a constant
    // initialiser is zero bytes and nothing else.
    union index_stack {
        constexpr index_stack() noexcept : none{} {}
        unsigned char none;
        index indices[room];
    };
    union slot_array {
        constexpr slot_array() noexcept : none{} {}
        unsigned char none;
        alignas(sizes.slot_align) std::byte bytes[room * sizes.slot_bytes];
    };

    // free_count_ <= carved_ <= N. The slots below carved_ are out (their bit in out_ is set) or their
    // index lies once below free_count_ in free_; no bit at or above carved_ is set.
    detail::unaliased<std::uint32_t> free_count_;
    detail::unaliased<std::uint32_t> carved_;
    std::size_t peak_before_ = 0; ///< the peak before the last release()
    std::uint64_t out_[words != 0 ? words : 1] = {};
    index_stack free_; ///< the last one freed goes out first
    slot_array slots_;
};

/// Not a pool: what cannot be an object is refused.
template <class T, std::size_t N, pool_options O>
    requires(!detail::object_type<T>)
class fixed_pool<T, N, O> {
    static_assert(
        detail::object_type<T>,
        "linn::fixed_pool holds objects: its type must not be a reference, void, a function or an array");
};

} // namespace linn::inline LINN_ABI

#endif
#endif
