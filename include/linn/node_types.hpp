// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_NODE_TYPES_HPP
#define LINN_NODE_TYPES_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

#include <linn/detail/core/element.hpp>

#include <cstddef>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// @file
/// What a container really allocates: `std::map<K, V>` never allocates a `std::pair<const K, V>`, but a
/// node around it, whose type has no standard name and whose size no standard says.

namespace linn::inline LINN_ABI {

/// A type that a container asks its allocator for.
struct node_type {
    std::string_view name; ///< as the compiler writes it; valid until the program ends
    std::size_t size = 0;  ///< bytes of one; in `linn::pool` a slot is as large
    std::size_t align = 0;
    /// Of how many it asked for at once, the most that was seen: 1 for nodes; of a `deque` its block;
    /// of arrays that grow, some number.
    std::size_t count = 0;
    /// Asked for one at a time, and never as an array: `linn::allocator` takes it from a pool.
    bool single = false;

    friend constexpr bool operator==(const node_type&, const node_type&) = default;
};

/// `type` is `Container` with `Allocator` in the place of its own allocator. Known are templates of
/// types, and of a type, a number and types, that have the allocator among their arguments, or `void`
/// in its place as Boost.Container does. Specialise it for templates of another shape.
template <class Container, class Allocator>
struct rebind_container;

namespace detail {

/// Which argument is the allocator: the one that is the container's `allocator_type`, otherwise the first
/// `void`.
template <class Own, class Allocator, class... Args>
struct allocator_argument {
    static constexpr bool named = (std::is_same_v<Args, Own> || ...);
    static constexpr bool known = named || (std::is_void_v<Args> || ...);

    static consteval std::size_t first_void() {
        std::size_t at = sizeof...(Args);
        std::size_t i = 0;
        static_cast<void>(((at = std::is_void_v<Args> && at == sizeof...(Args) ? i : at, ++i), ..., i));
        return at;
    }
    template <std::size_t Index, class Arg>
    using replaced =
        std::conditional_t<named ? std::is_same_v<Arg, Own> : Index == first_void(), Allocator, Arg>;
};

template <class T, class Container>
class probe_allocator;

template <class Container>
concept rebindable = requires {
    typename rebind_container<Container, probe_allocator<typename Container::value_type, Container>>::type;
};

template <class Container, class Allocator, class Indices>
struct rebind_types;

template <template <class...> class C, class... Args, class Allocator, std::size_t... Index>
struct rebind_types<C<Args...>, Allocator, std::index_sequence<Index...>> {
    using argument = allocator_argument<typename C<Args...>::allocator_type, Allocator, Args...>;
    using type = C<typename argument::template replaced<Index, Args>...>;
};

template <template <class, std::size_t, class...> class C, class T, std::size_t N, class... Args,
          class Allocator, std::size_t... Index>
struct rebind_types<C<T, N, Args...>, Allocator, std::index_sequence<Index...>> {
    using argument = allocator_argument<typename C<T, N, Args...>::allocator_type, Allocator, Args...>;
    using type = C<T, N, typename argument::template replaced<Index, Args>...>;
};

} // namespace detail

template <template <class...> class C, class... Args, class Allocator>
    requires(detail::allocator_argument<typename C<Args...>::allocator_type, Allocator, Args...>::known)
struct rebind_container<C<Args...>, Allocator>
    : detail::rebind_types<C<Args...>, Allocator, std::index_sequence_for<Args...>> {};

template <template <class, std::size_t, class...> class C, class T, std::size_t N, class... Args,
          class Allocator>
    requires(detail::allocator_argument<typename C<T, N, Args...>::allocator_type, Allocator, Args...>::known)
struct rebind_container<C<T, N, Args...>, Allocator>
    : detail::rebind_types<C<T, N, Args...>, Allocator, std::index_sequence_for<Args...>> {};

namespace detail {

/// Adds a request of a probed container to those `seen`, which are in order of first request.
inline void note_request(std::vector<node_type>& seen, node_type what) {
    for (node_type& known : seen) {
        if (known.name == what.name && known.size == what.size && known.align == what.align) {
            known.count = known.count < what.count ? what.count : known.count;
            known.single = known.single && what.single;
            return;
        }
    }
    seen.push_back(what);
}

/// Thrown where an associative container is about to construct an element, which it would go on to
/// compare or hash. By then it has allocated.
struct element_wanted {};

#if defined(__cpp_exceptions)
inline constexpr bool can_stop = true;
[[LINN_DETAIL_NORETURN]] inline void stop() {
    throw element_wanted{};
}
template <class Insert>
void until_stopped(Insert&& insert) {
    try {
        insert();
    } catch (const element_wanted&) {
    }
}
#else
inline constexpr bool can_stop = false;
inline void stop() {}
template <class Insert>
void until_stopped(Insert&&) {}
#endif

/// Records what it is asked for, and constructs no element. Elements are what has the container's
/// `value_type`, and every type that is no scalar; a `deque` also constructs pointers to its blocks.
template <class T, class Container>
class probe_allocator {
public:
    using value_type = T;
    template <class U>
    struct rebind {
        using other = probe_allocator<U, Container>;
    };

    probe_allocator() = default; // libc++ asks for it, and does not use it
    explicit probe_allocator(std::vector<node_type>& seen) noexcept : seen_{&seen} {}
    template <class U>
    probe_allocator(const probe_allocator<U, Container>& other) noexcept : seen_{other.seen()} {}

    [[nodiscard]] T* allocate(std::size_t n) {
        note_request(*seen_, {type_name<T>(), sizeof(T), alignof(T), n, n == 1});
        return std::allocator<T>{}.allocate(n);
    }
    void deallocate(T* p, std::size_t n) noexcept { std::allocator<T>{}.deallocate(p, n); }

    template <class U, class... Args>
    void construct(U* p, Args&&... args) {
        if constexpr (std::is_scalar_v<U> && !std::is_same_v<U, typename Container::value_type>) {
            ::new (static_cast<void*>(p)) U(std::forward<Args>(args)...);
        } else if constexpr (requires { typename Container::key_type; }) {
            stop();
        }
    }
    template <class U>
    void destroy(U*) noexcept {}

    [[nodiscard]] std::vector<node_type>* seen() const noexcept { return seen_; }

    template <class U>
    friend bool operator==(const probe_allocator& a, const probe_allocator<U, Container>& b) noexcept {
        return a.seen() == b.seen();
    }

private:
    std::vector<node_type>* seen_ = nullptr;
};

/// Storage for elements beyond what the container holds in itself; for `vector<bool>` too.
template <class Container>
void request_arrays(Container& c) {
    constexpr std::size_t element = sizeof(typename Container::value_type);
    constexpr std::size_t some = element < 2048 ? 4096 / element : 2;
    if constexpr (requires { c.reserve(c.capacity() + some); }) {
        c.reserve(c.capacity() + some);
    } else if constexpr (requires { c.reserve(some); }) {
        c.reserve(some);
    }
}

template <class Container>
void request_nodes(Container& c) {
    if constexpr (requires { typename Container::key_type; }) {
        if constexpr (requires { c.emplace(); }) {
            until_stopped([&] { static_cast<void>(c.emplace()); });
        }
    } else if constexpr (requires { c.emplace_back(), c[0]; } && !requires { c.reserve(1); }) {
        // A deque: its array of blocks shows that it is one when there are several blocks.
        constexpr std::size_t element = sizeof(typename Container::value_type);
        for (std::size_t i = 0; i < (element < 256 ? 3 * 4096 / element : 3 * 16); ++i) {
            c.emplace_back();
        }
    } else if constexpr (requires { c.emplace_back(); }) {
        c.emplace_back();
    } else if constexpr (requires { c.emplace_front(); }) {
        c.emplace_front();
    }
}

template <class Container>
concept has_allocator = requires { typename Container::allocator_type; };

template <class Container>
concept never_allocates = has_allocator<Container> &&
                          !requires(typename Container::allocator_type& a) { a.allocate(std::size_t{1}); };

/// Standard containers claim to be constructible without looking.
template <class Container>
consteval bool functions_have_defaults() {
    bool have = true;
    if constexpr (requires { typename Container::key_compare; }) {
        have = have && std::is_default_constructible_v<typename Container::key_compare>;
    }
    if constexpr (requires { typename Container::hasher; }) {
        have = have && std::is_default_constructible_v<typename Container::hasher>;
    }
    if constexpr (requires { typename Container::key_equal; }) {
        have = have && std::is_default_constructible_v<typename Container::key_equal>;
    }
    return have;
}

template <class Container>
std::vector<node_type> probe_container() {
    static_assert(
        rebindable<Container>,
        "linn::node_types: the allocator is not an argument of the container's template; for a derived "
        "class ask about its base, for a template of another shape specialise linn::rebind_container");
    static_assert(
        can_stop || !requires { typename Container::key_type; },
        "linn::node_types: without exceptions an associative container cannot be asked");
    if constexpr (rebindable<Container>) {
        using own = typename Container::allocator_type;
        static_assert(std::is_same_v<typename std::allocator_traits<own>::pointer,
                                     typename std::allocator_traits<own>::value_type*>,
                      "linn::node_types: the container's allocator must use plain pointers");
        using probe = probe_allocator<typename std::allocator_traits<own>::value_type, Container>;
        using probed = typename rebind_container<Container, probe>::type;
        using converted = typename probed::allocator_type; // small_vector wraps the one that it is given
        constexpr bool possible =
            functions_have_defaults<Container>() && std::is_constructible_v<probed, converted>;
        static_assert(possible, "linn::node_types: the container cannot be made from an allocator alone: "
                                "its comparison or hash has no default");
        if constexpr (possible) {
            std::vector<node_type> seen;
            {
                probed c(converted{probe{seen}});
                request_arrays(c);
                request_nodes(c);
            }
            return seen;
        }
    }
}

} // namespace detail

/// The types that `Container` asks its allocator for, with all that a pool needs to know of them.
///
/// It works by running a container of the same template with an allocator that takes notes and does
/// not construct what it is told to; an associative one is left by an exception when it wants its first
/// element. So no element is ever constructed, compared, hashed or destroyed, and the type needs
/// nothing that could be called.
///
/// Any container will do that takes its allocator as a template argument, can be made from
/// an allocator, constructs elements by `allocator_traits`, has `key_type` if it looks at elements,
/// and `reserve`, `emplace_back`, `emplace_front` or `emplace`. Of an adaptor like `stack` its container is asked. A container that
/// keeps all in itself gives nothing.
///
/// Without exceptions nothing can stop an associative container before it looks at an element: such a call does not compile.
///
/// @complexity O(1), a few insertions
/// @threads any thread
/// @throws std::bad_alloc: for a moment the container holds a few KiB, or some elements if they are larger
/// @snippet examples/18_node_types.cpp
template <class Container>
[[nodiscard]] std::vector<node_type> node_types() {
    if constexpr (!detail::has_allocator<Container> && requires { typename Container::container_type; }) {
        return node_types<typename Container::container_type>();
    } else if constexpr (detail::never_allocates<Container>) {
        return {};
    } else {
        static_assert(detail::has_allocator<Container>,
                      "linn::node_types: this is no container with an allocator: it has no allocator_type");
        if constexpr (detail::has_allocator<Container>) {
            return detail::probe_container<Container>();
        }
    }
}

} // namespace linn::inline LINN_ABI

#endif
#endif
