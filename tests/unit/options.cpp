// SPDX-License-Identifier: Apache-2.0
// Promise: options hold, whether they are given to a pool, an allocator or a base class or are the default of a type.
#include "unit.hpp"

#include <linn/allocator.hpp>
#include <linn/options.hpp>
#include <linn/pool.hpp>
#include <linn/pooled.hpp>

namespace options_tests {
struct padded_by_default {
    char c;
};
struct plain {
    char c;
};
struct small_slabs {
    char c[1000];
};
struct batch {
    int i;
};
struct with_own_options : linn::pooled<with_own_options> {
    int i;
};
struct with_general_options : linn::pooled<with_general_options, linn::pool_options{}> {
    int i;
};
} // namespace options_tests

template <>
inline constexpr linn::pool_options linn::default_options<options_tests::padded_by_default>{
    .cache_line_padding = true};
// After the class, whose base names the type.
template <>
inline constexpr linn::pool_options linn::default_options<options_tests::with_own_options>{
    .cache_line_padding = true};
template <>
inline constexpr linn::pool_options linn::default_options<options_tests::with_general_options>{
    .cache_line_padding = true};

namespace options_tests {

static_assert(linn::pool<padded_by_default>::options.cache_line_padding);
static_assert(!linn::pool<plain>::options.cache_line_padding);
static_assert(linn::pool<plain>::options == linn::pool_options{});
static_assert(!std::is_same_v<linn::pool<plain>, linn::pool<plain, {.cache_line_padding = true}>>);

// Options that are given hold, also where they equal what a type without its own has.
using given = linn::allocator<padded_by_default, std::allocator<padded_by_default>, linn::pool_options{}>;
using not_given = linn::allocator<padded_by_default>;
static_assert(!std::is_same_v<given, not_given>);
// A container asks for its nodes and for elements again: it comes back to where it began.
template <class A>
using there_and_back =
    typename std::allocator_traits<typename std::allocator_traits<A>::template rebind_alloc<plain>>::
        template rebind_alloc<padded_by_default>;
static_assert(std::is_same_v<there_and_back<given>, given>);
static_assert(std::is_same_v<there_and_back<not_given>, not_given>);

/// The least distance of any two.
template <class T>
std::size_t spacing(std::vector<T*> all) {
    std::sort(all.begin(), all.end());
    std::size_t least = SIZE_MAX;
    for (std::size_t i = 1; i < all.size(); ++i) {
        least = std::min(least, static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(all[i]) -
                                                         reinterpret_cast<std::uintptr_t>(all[i - 1])));
    }
    return least;
}

using linn_test::pooling;

TEST_CASE("options: cache line padding, by option and by default of a type") {
    using by_option = linn::pool<plain, {.cache_line_padding = true}>;
    using by_default = linn::pool<padded_by_default>;
    std::vector<plain*> a(100);
    std::vector<padded_by_default*> b(100);
    by_option::allocate_n(a);
    by_default::allocate_n(b);
    CHECK(by_option::statistics().slot_bytes % 64 == 0);
    CHECK(by_default::statistics().slot_bytes % 64 == 0);
    if (!linn::detail::checked_build) { // where each object has guards around it
        CHECK(by_option::statistics().slot_bytes == 64);
        CHECK(by_default::statistics().slot_bytes == 64);
    }
    if (pooling()) {
        CHECK(spacing(a) >= 64);
        CHECK(spacing(b) >= 64);
        CHECK(reinterpret_cast<std::uintptr_t>(a[0]) % 64 == 0);
    }
    by_option::deallocate_n(a);
    by_default::deallocate_n(b);
}

TEST_CASE("options: slab_bytes bounds the slabs") {
    using small = linn::pool<small_slabs, {.slab_bytes = 1 << 16}>;
    using large = linn::pool<small_slabs>;
    std::vector<small_slabs*> a(2000);
    std::vector<small_slabs*> b(2000);
    small::allocate_n(a);
    large::allocate_n(b);
    if (pooling()) {
        CHECK(small::statistics().slabs >= 2000 * 1000 / (1 << 16));
        CHECK(small::statistics().reserved_bytes <= small::statistics().slabs << 16);
        CHECK(large::statistics().slabs < small::statistics().slabs / 2);
    }
    small::deallocate_n(a);
    large::deallocate_n(b);
}

TEST_CASE("options: magazine_slots bounds what a thread holds back") {
    using few = linn::pool<batch, {.magazine_slots = 3}>;
    std::vector<batch*> all(500);
    few::allocate_n(all);
    CHECK(few::statistics().cached <= 6);
    few::deallocate_n(all);
    CHECK(few::statistics().live == 0);
}

TEST_CASE("options: an allocator without options shares the pool of its type") {
    linn::allocator<padded_by_default> a;
    const std::size_t before = linn::pool<padded_by_default>::statistics().live;
    padded_by_default* p = a.allocate(1);
    CHECK(linn::pool<padded_by_default>::statistics().live == before + 1);
    linn::pool<padded_by_default>::deallocate(p);
    CHECK(linn::pool<padded_by_default>::statistics().live == before);
    linn::allocator<padded_by_default, std::allocator<padded_by_default>, {.magazine_slots = 9}> other;
    p = other.allocate(1);
    CHECK(linn::pool<padded_by_default>::statistics().live == before);
    other.deallocate(p, 1);
}

TEST_CASE(
    "options: what is given to an allocator or a base holds, also where it equals the general defaults") {
    using unpadded = linn::pool<padded_by_default, linn::pool_options{}>;
    given a;
    padded_by_default* p = a.allocate(1);
    CHECK(unpadded::statistics().live == 1);
    CHECK(unpadded::statistics().slot_bytes < linn::pool<padded_by_default>::statistics().slot_bytes);
    a.deallocate(p, 1);
    CHECK(unpadded::statistics().live == 0);

    const auto* own = new with_own_options;
    const auto* general = new with_general_options;
    CHECK(linn::pool<with_own_options>::statistics().live == 1);
    CHECK(linn::pool<with_own_options>::options.cache_line_padding);
    CHECK(linn::pool<with_general_options>::statistics().live == 0);
    CHECK(linn::pool<with_general_options, linn::pool_options{}>::statistics().live == 1);
    delete own;
    delete general;
}

} // namespace options_tests
