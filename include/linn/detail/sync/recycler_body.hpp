// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_RECYCLER_BODY_HPP
#define LINN_DETAIL_SYNC_RECYCLER_BODY_HPP

#include <linn/config.hpp>
#include <linn/detail/core/element.hpp>
#include <linn/detail/os/standard_library.hpp>
#include <linn/detail/os/system.hpp>
#include <linn/detail/sanitizer/asan.hpp>
#include <linn/detail/sync/handlers.hpp>
#include <linn/detail/sync/idle_core.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

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
    using item = idle_item;
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

template <class T>
inline constexpr name_around<T, sizeof "recycler<"> recycler_name{"recycler<"};
template <class T>
inline constexpr std::string_view pool_name<recycler_slot<T>>{recycler_name<T>.text, recycler_name<T>.size};

/// `new T` compiles.
template <class T>
concept default_initialisable = std::is_default_constructible_v<T> && requires(void* p) { ::new (p) T; };

/// Deduces which enable_shared_from_this a class has, as the standard libraries do.
template <class U>
std::type_identity<U> shares_itself_as(const std::enable_shared_from_this<U>*);

template <class T>
concept shares_itself = requires(T* p) { detail::shares_itself_as(p); };

/// An object that has `enable_shared_from_this` holds a weak reference to its last control block, and
/// would hold it until it is destroyed: a control block in its own slot would never be freed, and the
/// slot never be idle. So that reference is dropped when the object is released.
///
/// Assigning does not help: the copy operations of `enable_shared_from_this` do nothing. But the base, which
/// has nothing but that weak_ptr, can be destroyed and constructed again in place.
template <class T>
void forget_control_block([[maybe_unused]] T* object) noexcept {
    if constexpr (shares_itself<T>) {
        using base = std::enable_shared_from_this<typename decltype(detail::shares_itself_as(
            static_cast<T*>(nullptr)))::type>;
        struct opened : base {}; // what base protects
        static_assert(sizeof(opened) == sizeof(base));
        base* part = object;
        auto* whole = static_cast<opened*>(part);
        whole->~opened();
        ::new (static_cast<void*>(whole)) opened;
    }
}

/// The deleter of a shared_ptr to a recycled object.
template <class Body>
struct recycled_object_release {
    void operator()(typename Body::object_type* object) const noexcept { Body::release_object(object); }
};

/// Gives the standard library room for the control block, in the object's slot.
template <class Block, class Body>
struct control_block_allocator {
    using value_type = Block;

    typename Body::slot_type* slot;

    explicit control_block_allocator(typename Body::slot_type* s) noexcept : slot{s} {}
    template <class Other>
    control_block_allocator(const control_block_allocator<Other, Body>& other) noexcept : slot{other.slot} {}

    [[nodiscard]] Block* allocate(std::size_t) noexcept {
        static_assert(
            sizeof(Block) <= Body::slot_type::block_bytes && alignof(Block) <= alignof(void*),
            "linn::recycler: the standard library has larger control blocks than the slots have room for");
        return typed<Block>(slot->block);
    }

    void deallocate(Block*, std::size_t) noexcept { Body::release_block(slot); }

    template <class Other>
    friend bool operator==(const control_block_allocator& a,
                           const control_block_allocator<Other, Body>& b) noexcept {
        return a.slot == b.slot;
    }
};

/// What a recycler owns and what its objects find their way back to: how an object of T is made, cleaned, shared and destroyed.
/// The core decides which thread gets it.
///
/// An object goes from `kept` to `out` by `acquire`, and back by `release`, or by `release_object` and `release_block` where it is
/// shared. Where it cannot be cleaned it is destroyed, and its slot, `hollow` while a weak_ptr looks at it, goes to the pool.
///
/// @tparam Memory the pool of the slots
template <class T, class Memory>
class recycler_body final : public recycler_core<platform> {
public:
    using object_type = T;
    using slot_type = recycler_slot<T>;
    using element = typename slot_type::element;
    using memory = Memory;

    recycler_body(std::size_t capacity, std::size_t limit, std::function<element()>&& create,
                  std::function<void(T&)>&& reset)
        : recycler_core{capacity, limit, &memory::core::root.depot_made},
          create_{std::move(create)},
          reset_{std::move(reset)} {}

    /// An object that the calling thread caches, one from elsewhere, or a new one. Waits at the limit, until `until()`; null when
    /// there is no object then, or no recycler any more.
    template <class Until>
    [[LINN_DETAIL_ALWAYS_INLINE]] slot_type* acquire(Until&& until) {
        item* head;
        return this->try_take(head) ? reused(head) : acquire_elsewhere(until());
    }

    /// As `acquire` at once, but null also when no object can be made.
    [[LINN_DETAIL_ALWAYS_INLINE]] slot_type* try_acquire() noexcept {
        item* head;
        return this->try_take(head) ? reused(head) : try_acquire_elsewhere();
    }

    /// Makes an idle object. @returns false if `n` are idle already, or there may be no more
    bool add_below(std::size_t n) {
        if (this->place_below(n) != idle_offer::place) {
            return false;
        }
        slot_type* s = make();
        s->hide();
        return this->put_for_all(&s->head);
    }

    /// The end of a use through a handle.
    static void release(T* object) noexcept {
        slot_type* s = slot_type::of(object);
        if (!slot_type::may_start_at(s) || s->state() != recycled_state::out) [[LINN_DETAIL_UNLIKELY]] {
            refuse(s, object);
            return;
        }
        auto* home = static_cast<recycler_body*>(s->head.home);
        if (home->clean(object)) [[LINN_DETAIL_LIKELY]] {
            s->become(recycled_state::kept);
            s->hide();
            home->put(&s->head);
        } else {
            home->destroy(&s->head);
        }
    }

    /// A shared_ptr that owns the object, its control block in the slot.
    static std::shared_ptr<T> share(slot_type* s) noexcept {
        return {s->get(), recycled_object_release<recycler_body>{},
                control_block_allocator<T, recycler_body>{s}};
    }

    /// The last shared_ptr is gone; a weak_ptr may still use the control block.
    static void release_object(T* object) noexcept {
        slot_type* s = slot_type::of(object);
        if (static_cast<recycler_body*>(s->head.home)->clean(object)) [[LINN_DETAIL_LIKELY]] {
            s->hide();
        } else {
            hollow_out(s);
        }
    }

    /// The last weak_ptr is gone too, and with it the control block.
    static void release_block(slot_type* s) noexcept {
        auto* home = static_cast<recycler_body*>(s->head.home);
        if (s->state() != recycled_state::hollow) [[LINN_DETAIL_LIKELY]] {
            home->put(&s->head);
        } else {
            home->dispose(&s->head);
            home->drop_references(1);
        }
    }

private:
    [[LINN_DETAIL_RETURNS_NONNULL]] static slot_type* reused(item* head) noexcept {
        slot_type* s = slot_type::of(head);
        s->show();
        return s;
    }

    // Out of line, so that the hot paths prepare nothing for them.

    [[LINN_DETAIL_NOINLINE]] slot_type* acquire_elsewhere(std::uint64_t until) {
        return take_or(until, [this] { return make(); });
    }
    [[LINN_DETAIL_NOINLINE]] slot_type* try_acquire_elsewhere() noexcept {
        return or_null([this] { return take_or(at_once, [this] { return try_make(); }); });
    }

    template <class Make>
    slot_type* take_or(std::uint64_t until, Make&& make_one) {
        item* s = nullptr;
        const idle_offer what = this->take_slow(s, until);
        return what == idle_offer::item ? reused(s) : what == idle_offer::place ? make_one() : nullptr;
    }

    /// Destroys an object whose slot another thread may still read.
    [[LINN_DETAIL_NOINLINE]] static void hollow_out(slot_type* s) noexcept {
        s->become(recycled_state::hollow);
        s->destroy();
        static_cast<recycler_body*>(s->head.home)->pass_place_on();
    }

    /// A new object in the place that the caller has. @throws what making one throws; the place is given up then
    slot_type* make() {
        slot_type* s = try_make();
        if (s == nullptr) {
            throw_bad_alloc();
        }
        return s;
    }

    /// As `make`, but null when there is no memory for the object itself.
    slot_type* try_make() {
        slot_type* s = memory::try_allocate();
        if (s == nullptr) {
            this->give_up_place();
            return nullptr;
        }
        s->head = {this};
        s->become(recycled_state::kept);
        start_or([&] { construct_object(s->object); },
                 [&] {
                     s->become(recycled_state::freed);
                     memory::deallocate(s);
                     this->give_up_place();
                 });
        s->show();
        return s;
    }

    void construct_object(void* place) {
        if constexpr (default_initialisable<element>) {
            if (!create_) {
                ::new (place) element;
                return;
            }
        }
        ::new (place) element(create_()); // no copy: what create_ returns is constructed in place
    }

    /// Makes an object fit for its next use. @returns false if the caller must destroy it instead
    bool clean(T* object) const noexcept {
        if (reset_) {
            if (this->closed()) {
                return false; // what the function refers to may be gone with the recycler
            }
#if defined(__cpp_exceptions)
            try {
                reset_(*object);
            } catch (...) {
                return false;
            }
#else
            reset_(*object);
#endif
        }
        detail::forget_control_block(object);
        return true;
    }

    void dispose(item* head) noexcept override {
        slot_type* s = slot_type::of(head);
        s->show();
        if (s->state() != recycled_state::hollow) {
            s->destroy();
        }
        s->become(recycled_state::freed);
        memory::deallocate(s);
    }

    [[LINN_DETAIL_COLD]] static void refuse(slot_type* s, const void* object) noexcept {
        constexpr auto mark = static_cast<std::uint32_t>(recycled_state::mark);
        const bool ours =
            slot_type::may_start_at(s) && (static_cast<std::uint32_t>(s->state()) & 0xffffff00U) == mark;
        report(misuse{ours ? misuse_kind::double_free : misuse_kind::foreign_pointer, pool_name<slot_type>,
                      object, 1});
    }

    const std::function<element()> create_;
    const std::function<void(T&)> reset_;
};

} // namespace linn::inline LINN_ABI::detail

#endif
