// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_SUPPORT_ALLOCATOR_WORLDS_HPP
#define LINN_TESTS_SUPPORT_ALLOCATOR_WORLDS_HPP

/// @file
/// The kinds of allocators that a container may meet, one class each ("world"). Each has `allocator<T>`,
/// `first<T>()` and `second<T>()`, which differ where the kind has an identity, and `live()`: the blocks that
/// are handed out. In all but `pooled`, arrays are counted, too; what leaks there, LeakSanitizer sees.

#include "counting_upstream.hpp"

#include <linn/allocator.hpp>
#include <linn/memory_resource.hpp>
#include <linn/statistics.hpp>

#include <cstddef>
#include <memory_resource>

namespace linn_test {

/// Objects alive in all pools.
inline std::size_t live_in_pools() {
    std::size_t sum = 0;
    for (auto* d = linn::detail::registry<linn::detail::platform>::process().newest(); d != nullptr;
         d = d->older) {
        sum += d->is_primary() ? d->statistics().live : 0;
    }
    return sum;
}

inline std::size_t live_in_resource(const linn::pool_resource& resource) {
    std::size_t sum = 0;
    for (const auto& s : resource.statistics()) {
        sum += s.live;
    }
    return sum;
}

/// linn::allocator as it comes: all are equal.
struct pooled {
    template <class T>
    using allocator = linn::allocator<T>;
    template <class T>
    static allocator<T> first() {
        return {};
    }
    template <class T>
    static allocator<T> second() {
        return {};
    }
    static std::size_t live() { return live_in_pools(); }
};

/// linn::allocator over an upstream with an identity.
template <bool Propagates>
class identified {
public:
    template <class T>
    using upstream = counting_upstream<T, Propagates, Propagates, Propagates, Propagates>;
    template <class T>
    using allocator = linn::allocator<T, upstream<T>>;
    template <class T>
    allocator<T> first() {
        return allocator<T>{upstream<T>{1, one_}};
    }
    template <class T>
    allocator<T> second() {
        return allocator<T>{upstream<T>{2, two_}};
    }
    [[nodiscard]] std::size_t live() const {
        return live_in_pools() + static_cast<std::size_t>(one_.objects + two_.objects);
    }

private:
    upstream_counters one_;
    upstream_counters two_;
};

/// Single objects from the pools, arrays from two resources.
class pooled_over_resources {
public:
    template <class T>
    using allocator = linn::allocator<T, std::pmr::polymorphic_allocator<T>>;
    template <class T>
    allocator<T> first() {
        return allocator<T>{std::pmr::polymorphic_allocator<T>{&one_}};
    }
    template <class T>
    allocator<T> second() {
        return allocator<T>{std::pmr::polymorphic_allocator<T>{&two_}};
    }
    [[nodiscard]] std::size_t live() const {
        return live_in_pools() + live_in_resource(one_) + live_in_resource(two_);
    }

private:
    linn::pool_resource one_;
    linn::pool_resource two_;
};

} // namespace linn_test

#endif
