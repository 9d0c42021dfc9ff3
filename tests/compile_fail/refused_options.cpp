// SPDX-License-Identifier: Apache-2.0
// Options outside their documented range are refused, where they were taken for something else without notice.
// LINES: 24
#include <linn/allocator.hpp>
#include <linn/fixed_pool.hpp>
#include <linn/local_pool.hpp>

struct order {};
struct large {
    char bytes[10000];
};
#if defined(LINN_CASE_of_the_type) // linn::pool_options: magazine_slots must be 0, or from 1 to 4096
template <>
inline constexpr linn::pool_options linn::default_options<order>{.magazine_slots = 4097};
#endif

void use() {
#if defined(LINN_CASE_slab_too_small) // linn::pool_options: slab_bytes must be 0, or from 4096 to 1 GiB
    static_cast<void>(linn::pool<int, linn::pool_options{.slab_bytes = 3}>::allocate());
#elif defined(LINN_CASE_slab_too_large) // linn::pool_options: slab_bytes must be 0, or from 4096 to 1 GiB
    linn::local_pool<int, linn::pool_options{.slab_bytes = (std::size_t{1} << 30) + 1}> pool;
#elif defined(LINN_CASE_magazine)       // linn::pool_options: magazine_slots must be 0, or from 1 to 4096
    linn::allocator<int, std::allocator<int>, linn::pool_options{.magazine_slots = 1'000'000}> a;
#elif defined(LINN_CASE_bytes)          // linn::pool: max_bytes is less than a slab with one object
    static_cast<void>(linn::pool<large, linn::pool_options{.max_bytes = 12287}>::allocate());
#elif defined(LINN_CASE_local_bytes)    // linn::local_pool: max_bytes is less than a slab with one object
    linn::local_pool<large, linn::pool_options{.max_bytes = 12287}> pool;
#endif
    static_cast<void>(linn::pool<large, linn::pool_options{.max_bytes = 16384}>::allocate());
    linn::local_pool<large, linn::pool_options{.max_bytes = 16384}> enough;
    static_cast<void>(enough.live());
    linn::fixed_pool<order, 3> orders;
    static_cast<void>(orders.live());
    constexpr linn::pool_options least{.slab_bytes = 4096, .magazine_slots = 1};
    constexpr linn::pool_options most{.slab_bytes = std::size_t{1} << 30, .magazine_slots = 4096};
    static_cast<void>(linn::pool<int, least>::allocate());
    static_cast<void>(linn::pool<int, most>::allocate());
}
