// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/worker/crew.hpp"
#include "bench/worker/pairs.hpp"
#include "timed_lock.hpp"

#include <linn/detail/sync/thread_cache.hpp>
#include <linn/memory_resource.hpp>
#include <linn/pool.hpp>

#include <memory_resource>
#include <new>

namespace linn::bench::saturation {

/// What `pool` is made of, over timed locks.
template <std::size_t Bytes>
struct timed_pool {
    using object = tool::worker::sized_object<Bytes>;
    static constexpr detail::pool_description description{
        .sizes = detail::pool_geometry<sizeof(object), alignof(object), default_options<object>>::sizes,
        .type = "timed",
    };
    static inline constinit detail::pool_root<timed_platform> root{{}, &description};
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

/// What `pool_resource` is made of, over timed locks.
struct timed_resource_memory {
    static void* take(std::size_t bytes) {
        const unsigned c = detail::class_of(bytes);
        void* p = nullptr;
        if (!core().pop(c, p)) {
            p = core().take(c);
        }
        return p != nullptr ? p : throw std::bad_alloc{};
    }
    static void give(void* p, std::size_t bytes) noexcept {
        const unsigned c = detail::class_of(bytes);
        if (!core().push(c, p)) {
            core().put(c, p);
        }
    }

private:
    using core_type = detail::resource_core<timed_platform>;

    static core_type& core() {
        static core_type& it = *new core_type{settings()};
        return it;
    }

    static detail::resource_settings settings() noexcept {
        detail::resource_settings s; // of a pool_resource without options
        s.own_pages = true;
        s.upstream.context = std::pmr::new_delete_resource();
        s.upstream.get = [](void* context, std::size_t bytes, std::size_t align) {
            return static_cast<std::pmr::memory_resource*>(context)->allocate(bytes, align);
        };
        s.upstream.put = [](void* context, void* p, std::size_t bytes, std::size_t align) {
            static_cast<std::pmr::memory_resource*>(context)->deallocate(p, bytes, align);
        };
        s.retain_bytes = pool_resource_options{}.retain_bytes;
        s.max_bytes = SIZE_MAX;
        return s;
    }
};

using timed_pool_memory = tool::worker::size_pools<timed_pool>;

} // namespace linn::bench::saturation
