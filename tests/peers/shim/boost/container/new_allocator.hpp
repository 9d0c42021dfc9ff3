// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_PEERS_SHIM_BOOST_CONTAINER_NEW_ALLOCATOR_HPP
#define LINN_TESTS_PEERS_SHIM_BOOST_CONTAINER_NEW_ALLOCATOR_HPP

/// @file
/// Found instead of Boost.Container's header of this name, so the allocator that its containers have when
/// none is named. A class of its own, since it is declared in advance as one.

#include <linn_peer.hpp>

namespace boost::container {

template <class T>
class new_allocator : public linn_peer::allocator<T> {
public:
    using value_type = T;
    template <class U>
    struct rebind {
        using other = new_allocator<U>;
    };

    constexpr new_allocator() noexcept = default;
    template <class U>
    constexpr new_allocator(const new_allocator<U>&) noexcept {}

    template <class U>
    friend constexpr bool operator==(const new_allocator&, const new_allocator<U>&) noexcept {
        return true;
    }
};

} // namespace boost::container

#endif
