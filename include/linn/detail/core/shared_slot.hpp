// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_SHARED_SLOT_HPP
#define LINN_DETAIL_CORE_SHARED_SLOT_HPP

#include <linn/config.hpp>
#include <linn/detail/core/construct.hpp>
#include <linn/detail/core/name_around.hpp>
#include <linn/detail/core/type_name.hpp>
#include <linn/types/value_initialization.hpp>

#include <cstddef>
#include <new>
#include <string_view>
#include <type_traits>

namespace linn::inline LINN_ABI::detail {

/// Storage for a `Block`, the object and control block that the standard library makes for a
/// `make_shared<T>`. The pool of a type of our own can have a name and options that follow T.
template <class Block, class T>
struct shared_slot {
    alignas(Block) unsigned char storage[sizeof(Block)];
};

template <class T>
inline constexpr name_around<T, sizeof "make_shared<"> shared_name{"make_shared<"};
template <class Block, class T>
inline constexpr std::string_view pool_name<shared_slot<Block, T>>{shared_name<T>.text, shared_name<T>.size};

/// Destroys the last `n` of the elements that end at `end`, the last one first.
template <class Element>
void destroy_backwards(Element* end, std::size_t n) noexcept {
    if constexpr (!std::is_trivially_destructible_v<Element>) {
        for (; n != 0; --n) {
            --end;
            end->~Element();
        }
    }
}

/// `start(place, i)` for each of `n` elements; when one throws, those before it are destroyed.
template <class Element, class Start>
void construct_each(Element* first, std::size_t n, Start start) {
    for (std::size_t i = 0; i != n; ++i) {
        detail::start_or([&] { start(static_cast<void*>(first + i), i); },
                         [&] { detail::destroy_backwards(first + i, i); });
    }
}

/// An array as an object that `allocate_shared` can make. A plain struct would not do: value-initialising
/// it fills it with zeros even where the elements have constructors. `Array` is not const.
template <class Array>
class shared_array {
    using element = std::remove_all_extents_t<Array>;
    static constexpr std::size_t count = sizeof(Array) / sizeof(element);

public:
    shared_array() {
        if constexpr (!std::is_trivially_default_constructible_v<element>) {
            detail::construct_each(first(), count, [](void* place, std::size_t) { ::new (place) element; });
        }
    }

    explicit shared_array(value_initialize_t) {
        detail::construct_each(first(), count, [](void* place, std::size_t) { ::new (place) element(); });
    }

    /// Each element a copy of `value`, which is an array itself where `Array` has two dimensions.
    explicit shared_array(const std::remove_extent_t<Array>& value) {
        constexpr std::size_t period = sizeof(std::remove_extent_t<Array>) / sizeof(element);
        const element* source = flat(value);
        detail::construct_each(first(), count, [source](void* place, std::size_t i) {
            detail::construct<element>(place, source[i % period]);
        });
    }

    shared_array(const shared_array&) = delete;
    shared_array& operator=(const shared_array&) = delete;

    ~shared_array() { detail::destroy_backwards(first() + count, count); }

    [[nodiscard]] std::remove_extent_t<Array>* get() noexcept { return elements_; }

private:
    element* first() noexcept { return typed<element>(static_cast<void*>(elements_ + 0)); }

    /// The first element of `value`, also where its class overloads `&`.
    template <class U>
    static const element* flat(const U& value) noexcept {
        return reinterpret_cast<const element*>(&reinterpret_cast<const unsigned char&>(value));
    }

    /// In a union nothing is constructed but by us.
    union {
        Array elements_;
    };
};

} // namespace linn::inline LINN_ABI::detail

#endif
