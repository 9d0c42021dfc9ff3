// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_RECYCLER_SLOT_HPP
#define LINN_DETAIL_SYNC_RECYCLER_SLOT_HPP

#include <linn/config.hpp>
#include <linn/detail/core/element.hpp>
#include <linn/detail/os/standard_library.hpp>
#include <linn/detail/sanitizer/asan.hpp>
#include <linn/detail/sync/idle_store.hpp>
#include <linn/detail/sync/mutex.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>

namespace linn::inline LINN_ABI::detail {

/// Where an object of a recycler is in its life. The upper bits mark memory of a recycler, so that a
/// pointer from elsewhere is noticed.
enum class recycled_state : std::uint32_t {
    mark = 0x6c696e00,
    freed = mark | 1,  ///< no object: the memory is back in its pool
    kept = mark | 2,   ///< idle, or owned by shared_ptrs: not to be released by a plain pointer
    out = mark | 3,    ///< the user has it, in a handle or as a plain pointer
    hollow = mark | 4, ///< the object is destroyed, but a weak_ptr still uses the control block
};

/// The bytes of an idle object, because LeakSanitizer finds no pointers in poisoned memory.
template <std::size_t Bytes>
struct alignas(poison_granule) idle_copy {
    std::byte bytes[Bytes];
};
template <>
struct idle_copy<0> {};

/// A slot: what the core knows of, room for a control block, then the object.
template <class T>
struct recycler_slot {
    using element = made<T>;
    using item = idle_item<platform, false>;
    /// Of the control block of a shared_ptr with a stateless deleter and an allocator of one pointer: 32 in libstdc++, 40 in
    /// libc++. With what stands before it that fills a cache line.
    static constexpr std::size_t block_bytes = 5 * sizeof(void*) + control_block_lock;
    /// Objects up to this size are poisoned while they are idle.
    static constexpr bool poisons = sanitizer_poison && sizeof(element) <= std::size_t{64} * 1024;
    /// Whole granules, in which nothing else lies; or an object of 4 bytes would not be poisoned at all.
    static constexpr std::size_t poisoned_bytes =
        (sizeof(element) + poison_granule - 1) / poison_granule * poison_granule;

    item head;
    std::atomic<recycled_state> state_;
    alignas(void*) std::byte block[block_bytes];
    alignas(element) alignas(poisons ? poison_granule : 1) std::byte object[sizeof(element)];
    [[LINN_DETAIL_NO_UNIQUE_ADDRESS]] idle_copy<poisons ? sizeof(element) : 0> copy;

    [[nodiscard]] T* get() noexcept { return reinterpret_cast<T*>(in_place()); }

    void destroy() noexcept { in_place()->~element(); }

    /// Relaxed, because only misuse lets two threads come here at once; then one of them shall notice.
    [[nodiscard]] recycled_state state() const noexcept { return state_.load(std::memory_order_relaxed); }
    void become(recycled_state s) noexcept { state_.store(s, std::memory_order_relaxed); }

    /// For a user that will call `recycle`.
    [[nodiscard]] T* hand_out() noexcept {
        become(recycled_state::out);
        return get();
    }

    static recycler_slot* of(item* head) noexcept { return reinterpret_cast<recycler_slot*>(head); }
    static recycler_slot* of(T* object) noexcept {
        static_assert(std::is_standard_layout_v<recycler_slot>);
        auto* bytes = const_cast<std::byte*>(reinterpret_cast<const volatile std::byte*>(object));
        return reinterpret_cast<recycler_slot*>(bytes - offsetof(recycler_slot, object));
    }

    /// False for most pointers that never came from a recycler, and for these nothing is read.
    [[nodiscard]] static bool may_start_at(const recycler_slot* s) noexcept {
        return reinterpret_cast<std::uintptr_t>(s) % alignof(recycler_slot) == 0;
    }

    void hide() noexcept {
        if constexpr (poisons) {
            unpoison(&copy, sizeof copy);
            std::memcpy(copy.bytes, object, sizeof object);
            poison(object, poisoned_bytes);
        }
    }
    /// The place of the copy is poison meanwhile: it lies right behind the object.
    void show() noexcept {
        if constexpr (poisons) {
            unpoison(object, poisoned_bytes);
            poison(&copy, sizeof copy);
        }
    }

private:
    element* in_place() noexcept { return std::launder(reinterpret_cast<element*>(object)); }
};

} // namespace linn::inline LINN_ABI::detail

#endif
