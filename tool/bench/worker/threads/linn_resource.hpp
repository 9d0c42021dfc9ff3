// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "timed_lock.hpp"

#include <linn/memory_resource.hpp>

#include <memory_resource>

namespace linn::tool::worker {

/// One for all threads and sizes, called as any `std::pmr::memory_resource`.
struct resource_memory {
    static void* take(std::size_t bytes) { return shared()->allocate(bytes); }
    static void give(void* p, std::size_t bytes) noexcept { shared()->deallocate(p, bytes); }

private:
    static std::pmr::memory_resource* shared() noexcept {
        std::pmr::memory_resource* r = default_pool_resource();
        asm volatile("" : "+r"(r)); // a program does not know which resource it has
        return r;
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
        s.slab_bytes = pool_resource_options{}.slab_bytes;
        s.retain_bytes = pool_resource_options{}.retain_bytes;
        s.max_bytes = SIZE_MAX;
        return s;
    }
};

} // namespace linn::tool::worker
