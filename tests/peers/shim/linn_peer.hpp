// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_PEERS_SHIM_LINN_PEER_HPP
#define LINN_TESTS_PEERS_SHIM_LINN_PEER_HPP

/// @file
/// Included before each test of a peer, in which `std::allocator<` has become `linn_peer::allocator<`: with
/// LINN_PEER_RESOURCE all memory comes from one pool_resource, without it `allocator` is linn::allocator.
///
/// When the program has ended otherwise, says what it took from Linn, and what it did not give back:
/// "linn-peer: used <0|1> live <n>".

#include <linn/allocator.hpp>
#include <linn/memory_resource.hpp>
#include <linn/statistics.hpp>

#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <type_traits>

namespace linn_peer {

/// The first object with a static lifetime, so the last one to be destroyed.
struct last_words {
    last_words() noexcept {}
    last_words(const last_words&) = delete;
    last_words& operator=(const last_words&) = delete;
    ~last_words() {
        std::size_t live = 0;
        std::size_t most = 0;
#ifdef LINN_PEER_RESOURCE
        for (const auto& s : linn::default_pool_resource()->statistics()) {
            live += s.live;
            most += s.peak;
        }
#else
        for (auto* d = linn::detail::registry<linn::detail::platform>::process().newest(); d != nullptr;
             d = d->older) {
            if (d->is_primary()) {
                live += d->statistics().live;
                most += d->statistics().peak;
            }
        }
#endif
        ::dprintf(at_start_, "\nlinn-peer: used %d live %zu\n", most != 0 ? 1 : 0, live);
    }

private:
    int at_start_ = ::dup(STDERR_FILENO); // a test may turn it away
};
inline last_words at_exit;

#ifdef LINN_PEER_RESOURCE

template <class T>
class allocator {
public:
    using value_type = T;
    using is_always_equal = std::true_type;
    using propagate_on_container_move_assignment = std::true_type;

    constexpr allocator() noexcept = default;
    template <class U>
    constexpr allocator(const allocator<U>&) noexcept {}

    T* allocate(std::size_t n) {
        if (n > static_cast<std::size_t>(-1) / sizeof(T)) {
            throw std::bad_array_new_length{};
        }
        return static_cast<T*>(linn::default_pool_resource()->allocate(n * sizeof(T), alignof(T)));
    }
    void deallocate(T* p, std::size_t n) noexcept {
        linn::default_pool_resource()->deallocate(p, n * sizeof(T), alignof(T));
    }
    template <class U>
    friend constexpr bool operator==(const allocator&, const allocator<U>&) noexcept {
        return true;
    }
};

#else

template <class T>
using allocator = linn::allocator<T>;

#endif

} // namespace linn_peer

#endif
