// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_RECYCLED_OBJECT_HPP
#define LINN_DETAIL_CORE_RECYCLED_OBJECT_HPP

#include <linn/config.hpp>
#include <linn/detail/core/type_name.hpp>

#include <cstddef>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>

namespace linn::inline LINN_ABI::detail {

/// `new T` compiles.
template <class T>
concept default_initialisable = std::is_default_constructible_v<T> && requires(void* p) { ::new (p) T; };

/// "recycler<T>", spelled out while compiling.
template <class T>
struct recycler_name {
    static constexpr std::string_view before = "recycler<";
    static constexpr std::string_view inside = type_name<T>();
    static constexpr std::size_t size = before.size() + inside.size() + 1;

    char text[size]{};

    constexpr recycler_name() noexcept {
        std::size_t n = 0;
        for (const char c : before) {
            text[n++] = c;
        }
        for (const char c : inside) {
            text[n++] = c;
        }
        text[n] = '>';
    }
};

template <class T>
inline constexpr recycler_name<T> recycler_name_of{};

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

} // namespace linn::inline LINN_ABI::detail

#endif
