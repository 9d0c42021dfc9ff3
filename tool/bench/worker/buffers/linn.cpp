// SPDX-License-Identifier: Apache-2.0
#include "held.hpp"

#include <linn/buffer_pool.hpp>

namespace linn::tool::worker {
namespace {

template <std::size_t Bytes>
linn::buffer_pool& buffers_of() {
    static linn::buffer_pool& pool = *new linn::buffer_pool{Bytes};
    return pool;
}

template <std::size_t Bytes>
struct pool_handle {
    static constexpr std::size_t bytes = Bytes;
    linn::buffer_pool& pool = buffers_of<Bytes>();

    auto acquire() { return pool.acquire(); }
    static void* data(const auto& h) { return h.data(); }
};

template <std::size_t Bytes>
struct pool_shared {
    static constexpr std::size_t bytes = Bytes;
    linn::buffer_pool& pool = buffers_of<Bytes>();

    auto acquire() { return pool.acquire_shared(); }
    static void* data(const auto& h) { return h.get(); }
};

constexpr variant all[] = {
    {"buffers", "linn_buffer_pool", &run_buffers<pool_handle>},
    {"buffers", "linn_buffer_pool_shared", &run_buffers<pool_shared>},
    {"buffers-held", "linn_buffer_pool", &run_held<pool_handle>},
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
