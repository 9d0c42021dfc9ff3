// SPDX-License-Identifier: Apache-2.0
#include "zero_fill.hpp"

#include <linn/buffer_pool.hpp>
#include <linn/memory.hpp>
#include <linn/recycler.hpp>
#include <linn/zero_fill.hpp>

namespace linn::tool::worker {
namespace {

struct linn_for_overwrite_way {
    static auto small() {
        return [] { return linn::make_shared_for_overwrite<plain_block<small_bytes>>(); };
    }
    static auto large() {
        return [] { return linn::make_shared_for_overwrite<plain_block<large_bytes>>(); };
    }
    static auto line() {
        return [] { return linn::make_shared_for_overwrite<plain_line>(); };
    }
};

/// Objects that stay constructed; one recycler a type for all threads.
template <class T>
auto recycled() {
    static linn::recycler<T>& source = *new linn::recycler<T>{{.capacity = 64}};
    return [] { return source.acquire_shared(); };
}

struct linn_recycler_way {
    static auto small() { return recycled<plain_block<small_bytes>>(); }
    static auto large() { return recycled<plain_block<large_bytes>>(); }
    static auto line() { return recycled<plain_line>(); }
};

template <std::size_t Bytes>
auto buffers() {
    static linn::buffer_pool& source = *new linn::buffer_pool{Bytes};
    return [] { return source.acquire_shared(); };
}

/// Raw buffers of the same sizes; a pool of pages has no business with 100 bytes.
struct linn_buffer_pool_way {
    static auto large() { return buffers<large_bytes>(); }
    static auto line() { return buffers<line_bytes>(); }
};

/// The first variant also says what the library finds in the types.
outcome run_for_overwrite(const options& o) {
    outcome result = run_zero_fill<linn_for_overwrite_way>(o);
    for (phase& p : result.phases) {
        if (p.name == "line") {
            p.metrics = {{"fill_bytes", static_cast<double>(linn::value_initialization_fill<plain_line>())},
                         {"fill_bytes_constructor",
                          static_cast<double>(linn::value_initialization_fill<constructed_line>())}};
        }
    }
    return result;
}

constexpr variant all[] = {
    {"zero-fill", "linn_make_shared_for_overwrite", &run_for_overwrite},
    {"zero-fill", "linn_recycler", &run_zero_fill<linn_recycler_way>},
    {"zero-fill", "linn_buffer_pool", &run_zero_fill<linn_buffer_pool_way>},
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
