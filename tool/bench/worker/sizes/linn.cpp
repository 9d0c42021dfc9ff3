// SPDX-License-Identifier: Apache-2.0
#include "sizes.hpp"

#include <linn/buffer_pool.hpp>
#include <linn/memory_resource.hpp>
#include <linn/pool.hpp>

#include <memory_resource>

namespace linn::tool::worker {
namespace {

/// A pool of objects of that size.
struct object_pool {
    static constexpr std::size_t least = 1;
    static constexpr std::size_t most = std::size_t{1} << (size_count - 1);

    template <std::size_t Bytes>
    struct source {
        struct object {
            char bytes[Bytes];
        };
        static void* take() { return pool<object>::allocate(); }
        static void give(void* p) noexcept { pool<object>::deallocate(static_cast<object*>(p)); }
    };
};

/// One resource for all sizes and threads, of a size that the compiler does not know. Larger blocks it passes on.
struct resource {
    static constexpr std::size_t least = 1;
    static constexpr std::size_t most = std::size_t{128} << 10;

    template <std::size_t Bytes>
    struct source {
        std::size_t bytes = Bytes;
        std::pmr::memory_resource* from = default_pool_resource();

        source() noexcept { asm volatile("" : "+r"(bytes), "+r"(from)); }
        void* take() const { return from->allocate(bytes); }
        void give(void* p) const { from->deallocate(p, bytes); }
    };
};

/// A pool of buffers of that size.
struct buffers {
    static constexpr std::size_t least = std::size_t{64} << 10;
    static constexpr std::size_t most = std::size_t{1} << (size_count - 1);

    template <std::size_t Bytes>
    struct source {
        buffer_pool* from = &shared();
        buffer held{};

        static buffer_pool& shared() {
            static buffer_pool& pool = *new buffer_pool{Bytes};
            return pool;
        }
        void* take() {
            held = from->acquire();
            return held.data();
        }
        void give(void*) noexcept { held.reset(); }
    };
};

constexpr variant all[] = {
    {"sizes", "linn_pool", &run_sizes<object_pool>},
    {"sizes", "linn_pool_resource", &run_sizes<resource>},
    {"sizes", "linn_buffer_pool", &run_sizes<buffers>},
};

} // namespace

std::span<const variant> sizes_linn() {
    return all;
}

} // namespace linn::tool::worker
