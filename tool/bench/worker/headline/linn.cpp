// SPDX-License-Identifier: Apache-2.0
#include "headline.hpp"

#include <linn/allocator.hpp>
#include <linn/buffer_pool.hpp>
#include <linn/memory.hpp>
#include <linn/pooled.hpp>

namespace linn::tool::worker {
namespace {

template <std::size_t Bytes>
linn::buffer_pool& pool_of_buffers() {
    static linn::buffer_pool& all = *new linn::buffer_pool{Bytes};
    return all;
}

/// The same with Linn's pools instead.
struct linn_ways {
    template <std::size_t Bytes>
    struct object : payload<Bytes>, linn::pooled<object<Bytes>> {
        using payload<Bytes>::payload;
    };

    template <class T>
    static linn::allocator<T> allocator() {
        return {};
    }

    struct shared : owning_way {
        static std::shared_ptr<packet> create() { return linn::make_shared<packet>(); }
    };

    template <std::size_t Bytes>
    struct shared_buffer {
        linn::buffer_pool* pool = &pool_of_buffers<Bytes>();

        auto acquire() const { return pool->acquire_shared(); }
        static void* data(const auto& h) { return h.get(); }
    };

    template <std::size_t Bytes>
    struct buffer {
        linn::buffer_pool* pool = &pool_of_buffers<Bytes>();

        auto acquire() const { return pool->acquire(); }
        static void* data(const auto& h) { return h.data(); }
    };
};

constexpr variant all[] = {{"headline", "linn", &run_headline<linn_ways>}};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
