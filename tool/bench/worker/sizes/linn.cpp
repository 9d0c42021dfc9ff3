// SPDX-License-Identifier: Apache-2.0
#include "../linn_sources.hpp"
#include "sizes.hpp"

#include <linn/buffer_pool.hpp>

namespace linn::tool::worker {
namespace {

struct object_pool {
    static constexpr std::size_t least = 1;
    static constexpr std::size_t most = std::size_t{1} << (size_count - 1);

    template <std::size_t Bytes>
    using source = pool_source<Bytes>;
};

/// Larger blocks it passes on.
struct resource {
    static constexpr std::size_t least = 1;
    static constexpr std::size_t most = std::size_t{128} << 10;

    template <std::size_t Bytes>
    using source = resource_source<Bytes>;
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

const variants here{all};

} // namespace
} // namespace linn::tool::worker
