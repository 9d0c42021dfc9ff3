// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "size_pools.hpp"
#include "timed_lock.hpp"

#include <linn/detail/sync/thread_cache.hpp>
#include <linn/pool.hpp>

namespace linn::tool::worker {

template <std::size_t Bytes>
struct plain_pool {
    using object = sized_object<Bytes>;
    static void* take() { return pool<object>::allocate(); }
    static void give(void* p) noexcept { pool<object>::deallocate(static_cast<object*>(p)); }
};

/// What `pool` is made of, over timed locks.
template <std::size_t Bytes>
struct timed_pool {
    using object = sized_object<Bytes>;
    static constexpr detail::pool_description description{
        .sizes = detail::pool_geometry<sizeof(object), alignof(object), default_options<object>>::sizes,
        .object_bytes = sizeof(object),
        .object_align = alignof(object),
        .type = "timed",
    };
    static inline constinit detail::pool_root<timed_platform> root{nullptr, &description};
    static inline constinit thread_local detail::front<timed_platform> front{};

    static void* take() {
        void* p = nullptr;
        return front.try_pop(p) ? p : detail::allocate_or_throw(front, root, nullptr);
    }
    static void give(void* p) noexcept {
        if (!front.try_push(p)) {
            detail::deallocate_slow(front, root, p);
        }
    }
};

using pool_memory = size_pools<plain_pool>;
using timed_pool_memory = size_pools<timed_pool>;

} // namespace linn::tool::worker
