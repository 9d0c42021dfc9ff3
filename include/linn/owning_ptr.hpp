// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_OWNING_PTR_HPP
#define LINN_OWNING_PTR_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

/// @file
/// `std::unique_ptr` to objects of a `local_pool` or `fixed_pool`, and to a base class of an object of any pool.
/// For objects of `pool<T>`, `linn::make_unique<T>` is in `<linn/memory.hpp>`.

namespace linn::inline LINN_ABI {

/// The deleter of `linn::unique_ptr_in`: knows its pool.
/// @complexity that of the pool's `destroy`
/// @threads as the pool
template <class Pool>
class pool_delete_in {
public:
    using pool_type = Pool;

    /// Of a null pointer.
    constexpr pool_delete_in() noexcept = default;
    explicit constexpr pool_delete_in(Pool& pool) noexcept : pool_{&pool} {}

    void operator()(typename Pool::value_type* p) const noexcept { pool_->destroy(p); }

private:
    Pool* pool_ = nullptr;
};

/// Owns an object of a `local_pool` or `fixed_pool`, which must outlive it. Two pointers wide.
template <class Pool>
using unique_ptr_in = std::unique_ptr<typename Pool::value_type, pool_delete_in<Pool>>;

/// As `std::make_unique<T>(args...)`, from `pool`, a `local_pool<T>` or `fixed_pool<T, N>`:
/// `linn::make_unique_in(pool, args...)`.
/// @throws std::bad_alloc, and what the constructor throws; the slot is back in the pool then
/// @complexity that of the pool's `create`
/// @threads as the pool
/// @snippet examples/36_local_allocator.cpp
template <class Pool, class... Args>
[[nodiscard]] unique_ptr_in<Pool> make_unique_in(Pool& pool, Args&&... args) {
    return unique_ptr_in<Pool>{pool.create(std::forward<Args>(args)...), pool_delete_in<Pool>{pool}};
}

/// As `make_unique_in`, but null when a `fixed_pool` is full.
/// @throws what the constructor throws; the slot is back in the pool then
template <class Pool, class... Args>
    requires requires(Pool& pool, Args&&... args) { pool.try_create(std::forward<Args>(args)...); }
[[nodiscard]] unique_ptr_in<Pool> try_make_unique_in(Pool& pool, Args&&... args) {
    return unique_ptr_in<Pool>{pool.try_create(std::forward<Args>(args)...), pool_delete_in<Pool>{pool}};
}

namespace detail {

/// The class whose objects a deleter destroys; only for deleters that `base_delete` can keep.
template <class Deleter>
struct deleted_by;
template <class Pool>
struct deleted_by<pool_delete_in<Pool>> {
    using type = typename Pool::value_type;
};
template <class T>
struct deleted_by<std::default_delete<T>> {
    using type = T;
};

/// How far a Base lies from the start of a Derived, which is the same in all objects: Base is not virtual.
template <class Derived, class Base>
std::ptrdiff_t base_offset() noexcept {
    // Any address that no object has would do; null is converted to null.
    auto* const whole = reinterpret_cast<Derived*>(static_cast<std::uintptr_t>(1) << 16);
    auto* const part = static_cast<Base*>(whole);
    return reinterpret_cast<const volatile char*>(part) - reinterpret_cast<const volatile char*>(whole);
}

/// Derived is Base or derived from it, and a Base says where its Derived is.
template <class Base, class Derived>
concept plain_base_of = std::is_convertible_v<Derived*, Base*> &&
                        requires(const volatile Base* b) { static_cast<const volatile Derived*>(b); };

} // namespace detail

/// The deleter of `linn::base_ptr`: destroys the object as the class that it was made as, in the pool that it came
/// from. So Base needs no virtual destructor.
/// @complexity a call more than the pool's `destroy`
/// @threads as the pool
template <class Base>
class base_delete {
public:
    /// Of a null pointer.
    constexpr base_delete() noexcept = default;

    /// From the deleter of a class derived from Base, of any pool, or of `std::unique_ptr`.
    template <class Deleter, class Derived = typename detail::deleted_by<Deleter>::type>
        requires detail::plain_base_of<Base, Derived>
    base_delete(const Deleter& d) noexcept // NOLINT(google-explicit-constructor)
        : destroy_{[](void* pool, void* object) noexcept {
              Deleter deleter;
              std::memcpy(static_cast<void*>(&deleter), &pool, sizeof_state<Deleter>);
              deleter(static_cast<Derived*>(object));
          }},
          offset_{detail::base_offset<Derived, Base>()} {
        static_assert(std::is_trivially_copyable_v<Deleter> && sizeof_state<Deleter> <= sizeof(void*));
        std::memcpy(&pool_, static_cast<const void*>(&d), sizeof_state<Deleter>);
    }

    /// From the pointer to another base class.
    template <class Other>
        requires(!std::is_same_v<Other, Base> && detail::plain_base_of<Base, Other>)
    base_delete(const base_delete<Other>& other) noexcept // NOLINT(google-explicit-constructor)
        : destroy_{other.destroy_},
          pool_{other.pool_},
          offset_{other.offset_ + detail::base_offset<Other, Base>()} {}

    void operator()(Base* p) const noexcept {
        auto* bytes = const_cast<char*>(reinterpret_cast<const volatile char*>(p));
        destroy_(pool_, bytes - offset_);
    }

private:
    template <class>
    friend class base_delete;

    template <class Deleter>
    static constexpr std::size_t sizeof_state = std::is_empty_v<Deleter> ? 0 : sizeof(Deleter);

    void (*destroy_)(void* pool, void* object) noexcept = nullptr;
    void* pool_ = nullptr;
    std::ptrdiff_t offset_ = 0; ///< of the Base in its object
};

/// Owns an object of any class derived from Base, from any pool, or from `new`: what `linn::make_unique`,
/// `linn::make_unique_in` and `std::make_unique` return converts to it. It remembers the pool and the class, so
/// it is four pointers wide. Base must not be a virtual base class.
/// @snippet examples/36_local_allocator.cpp
template <class Base>
using base_ptr = std::unique_ptr<Base, base_delete<Base>>;

} // namespace linn::inline LINN_ABI

#endif
#endif
