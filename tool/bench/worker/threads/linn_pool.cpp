// SPDX-License-Identifier: Apache-2.0
#include "size_pools.hpp"
#include "threads.hpp"

#include <linn/pool.hpp>

namespace linn::tool::worker {
namespace {

template <std::size_t Bytes>
struct plain_pool {
    using object = sized_object<Bytes>;
    static void* take() { return pool<object>::allocate(); }
    static void give(void* p) noexcept { pool<object>::deallocate(static_cast<object*>(p)); }
};

constexpr auto all = all_programs<size_pools<plain_pool>>("linn_pool");

const variants here{all};

} // namespace
} // namespace linn::tool::worker
