// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_POOLED_HPP
#define LINN_POOLED_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

#include <linn/detail/core/element.hpp>
#include <linn/options.hpp>
#include <linn/pool.hpp>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>

namespace linn::inline LINN_ABI {

namespace detail {

/// A promise type of coroutines, or a base of one: their frames come from its `operator new`.
template <class T>
concept coroutine_promise =
    requires(T& t) { t.get_return_object(); } || requires(T& t) { t.initial_suspend(); } || requires(T& t) {
        t.final_suspend();
    } || requires(T& t) { t.unhandled_exception(); } || requires(T& t) { t.return_void(); };

/// Where placement `new` may construct a T or a class derived from it. A coroutine offers its parameters to the `operator
/// new` of its promise, and they are lvalues. Of those only pointers to memory and to a T are places.
template <class Place, class T>
concept place_for =
    std::is_pointer_v<std::decay_t<Place>> &&
    (!std::is_lvalue_reference_v<Place> || std::is_array_v<std::remove_reference_t<Place>> ||
     std::is_void_v<std::remove_pointer_t<std::decay_t<Place>>> || std::is_same_v<std::decay_t<Place>, T*> ||
     std::is_same_v<std::decay_t<Place>, std::byte*> || std::is_same_v<std::decay_t<Place>, unsigned char*> ||
     std::is_same_v<std::decay_t<Place>, char*>);

} // namespace detail

/// Gives a class its own `operator new` and `delete` over the pool of that class:
///
/// ```
/// struct order : linn::pooled<order> { ... };
/// auto o = std::make_unique<order>();   // from linn::pool<order>
/// ```
///
/// Objects of that class are pooled, and those of derived classes with the same size, and the same alignment or one that
/// every `new` has. Other derived classes and arrays go to the global `operator new`, and each goes back to where it came
/// from. To delete a derived object through a base pointer needs a virtual destructor, as always.
///
/// Not for promise types of coroutines: a frame is larger than its promise, so it would not be pooled.
///
/// @complexity where nothing else is said, that of the pool's `allocate` and `deallocate`, or of the global operators
/// @threads any thread
/// @snippet examples/04_pooled.cpp
template <class T, pool_options... O>
struct pooled {
    static_assert(std::is_class_v<T> && std::is_same_v<T, std::remove_cv_t<T>>,
                  "linn::pooled is a base of the class that it names: struct order : linn::pooled<order>");

    /// @throws std::bad_alloc when there is no memory
    static void* operator new(std::size_t bytes) {
        return is_object(bytes) ? pool_of<>::allocate() : ::operator new(bytes);
    }
    static void* operator new(std::size_t bytes, const std::nothrow_t& tag) noexcept {
        return is_object(bytes) ? pool_of<>::try_allocate() : ::operator new(bytes, tag);
    }
    /// @throws std::bad_alloc when there is no memory
    static void* operator new(std::size_t bytes, std::align_val_t align) {
        return is_object(bytes, align) ? pool_of<>::allocate() : ::operator new(bytes, align);
    }
    static void* operator new(std::size_t bytes, std::align_val_t align, const std::nothrow_t& tag) noexcept {
        return is_object(bytes, align) ? pool_of<>::try_allocate() : ::operator new(bytes, align, tag);
    }
    /// Placement: hidden by the others if it were not here. Where the place is a variable, only for a T: the frame of a
    /// coroutine, whose parameter that variable may be, is larger. For a derived class of another size write `::new`.
    template <class Place>
        requires detail::place_for<Place, T>
    static void* operator new(std::size_t bytes, Place&& place) noexcept {
        check_class();
        if constexpr (std::is_pointer_v<std::remove_reference_t<Place>> &&
                      std::is_lvalue_reference_v<Place>) {
            if (bytes != sizeof(T)) {
                std::abort();
            }
        }
        return detail::untyped(place);
    }

    static void operator delete(void* p, std::size_t bytes) noexcept {
        if (is_object(bytes)) {
            give_back(p);
        } else {
            ::operator delete(p);
        }
    }
    static void operator delete(void* p, std::size_t bytes, std::align_val_t align) noexcept {
        if (is_object(bytes, align)) {
            give_back(p);
        } else {
            ::operator delete(p, align);
        }
    }
    /// Called when the constructor of an over-aligned class throws: compilers look for exactly this
    /// signature then, not for the one above. A template, because one that is not would be preferred
    /// by delete expressions, which know the size; inlined, because GCC would warn that a template
    /// does not match `new`. @complexity O(slabs)
    template <class Object = T>
    [[LINN_DETAIL_ALWAYS_INLINE]] static void operator delete(void* p, std::align_val_t align) noexcept {
        give_back_unknown<Object>(p, align);
    }
    /// Called when the constructor throws in `new (std::nothrow)`. The language does not tell the
    /// size here, so the pool is asked. @complexity O(slabs)
    static void operator delete(void* p, const std::nothrow_t&) noexcept {
        if (pool_of<>::owns(p)) {
            give_back(p);
        } else {
            ::operator delete(p);
        }
    }
    /// The same for an over-aligned class. @complexity O(slabs)
    static void operator delete(void* p, std::align_val_t align, const std::nothrow_t&) noexcept {
        give_back_unknown<T>(p, align);
    }

private:
    /// In a template, so that T may be incomplete where `pooled<T>` is named as its base.
    template <class Object = T>
    using pool_of = pool<Object, detail::options_for<Object>(O...)>;

    /// In a function, because T is complete only where one is used.
    static void check_class() noexcept {
        static_assert(!detail::coroutine_promise<T>,
                      "linn::pooled is not for promise types of coroutines: a frame is larger than its "
                      "promise. Give the promise an operator new that calls linn::default_pool_resource()");
    }
    static bool is_object(std::size_t bytes) noexcept {
        check_class();
        return bytes == sizeof(T) && alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__;
    }
    static bool is_object(std::size_t bytes, std::align_val_t align) noexcept {
        return bytes == sizeof(T) && static_cast<std::size_t>(align) == alignof(T);
    }
    template <class Object>
    [[LINN_DETAIL_NOINLINE]] static void give_back_unknown(void* p, std::align_val_t align) noexcept {
        if (pool_of<Object>::owns(p)) {
            give_back(p);
        } else {
            ::operator delete(p, align);
        }
    }
    static void give_back(void* p) noexcept {
        if (p != nullptr) {
            pool_of<>::deallocate(detail::typed<T>(p));
        }
    }
};

} // namespace linn::inline LINN_ABI

#endif
#endif
