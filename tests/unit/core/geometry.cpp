// SPDX-License-Identifier: Apache-2.0
// Promise: every size and alignment has slabs that hold at least one object, inside the slab and aligned.

#include "unit.hpp"

#include <linn/detail/core/geometry.hpp>
#include <linn/detail/core/slab.hpp>
#include <linn/detail/os/system.hpp>

#include <bit>

namespace core_geometry_tests {

using linn::detail::geometry;
using linn::detail::geometry_wishes;
using linn::detail::make_geometry;
using linn::detail::slab;

constexpr bool sound(const geometry& g, std::size_t bytes, std::size_t align) {
    return g.slot_bytes >= bytes && g.slot_align >= align && g.slot_bytes % g.slot_align == 0 &&
           std::has_single_bit(g.slab_align) && g.first_slab_bytes <= g.slab_align &&
           g.first_slab_bytes % linn::detail::page_bytes == 0 &&
           g.first_slab_bytes >= sizeof(slab) + g.slot_bytes && g.magazine_slots >= 1;
}

constexpr geometry_wishes all_wishes[] = {
    {},
    {.slab_bytes = 1},
    {.slab_bytes = 1 << 16},
    {.slab_bytes = (1 << 20) + 1},
    {.slab_bytes = std::size_t{1} << 26},
    {.magazine_slots = 1},
    {.magazine_slots = 1'000'000},
    {.cache_line_padding = true},
    {.local = true},
    {.slab_bytes = 1, .local = true},
    {.slab_bytes = 1, .cache_line_padding = true, .local = true},
    {.slab_bytes = 1 << 14, .magazine_slots = 3, .local = true},
};

constexpr bool sound_for_sizes(std::size_t align, std::size_t most) {
    for (const geometry_wishes& wishes : all_wishes) {
        for (std::size_t bytes = align; bytes <= most; bytes += bytes < 600 ? align : bytes / 7 + align) {
            if (!sound(make_geometry(bytes, align, wishes), bytes, align)) {
                return false;
            }
        }
    }
    return true;
}

static_assert(sound_for_sizes(1, 10'000));
static_assert(sound_for_sizes(8, 8 << 20));
static_assert(sound_for_sizes(64, 8 << 20));
static_assert(sound_for_sizes(4096, 8 << 20));
static_assert(sound_for_sizes(1 << 20, 32 << 20));

// The figures that the documentation of pool_options states.
static_assert(make_geometry(64, 8, {}).slab_align == std::size_t{2} << 20 || sizeof(void*) < 8);
static_assert(make_geometry(64, 8, {}).magazine_slots == 128);
static_assert(make_geometry(1024, 8, {}).magazine_slots == 128);
static_assert(make_geometry(16 << 10, 8, {}).magazine_slots == 16);
static_assert(make_geometry(100 << 10, 8, {}).magazine_slots == 2);
static_assert(make_geometry(1 << 20, 8, {}).magazine_slots == 1);
static_assert(make_geometry(8, 8, {.cache_line_padding = true}).slot_bytes == 64);
static_assert(make_geometry(65, 1, {.cache_line_padding = true}).slot_bytes == 128);
static_assert(make_geometry(24, 8, {.slab_bytes = 100'000}).slab_align == 131'072);

// Ten objects must not cost a large slab.
static_assert(make_geometry(64, 8, {}).first_slab_bytes <= 64 << 10);
static_assert(make_geometry(64, 8, {.local = true}).first_slab_bytes <= 4096);
// A smaller slab has no room for a huge page.
static_assert(make_geometry(64, 8, {.huge_pages = true}).first_slab_bytes ==
              linn::detail::largest_default_slab_bytes);
static_assert(make_geometry(64, 8, {.huge_pages = true, .local = true}).first_slab_bytes ==
              linn::detail::largest_default_slab_bytes);

/// Slot 0 and the last slot lie in the slab, behind the header, aligned, whatever the colour.
bool slab_sound(const geometry& g, std::size_t bytes, std::size_t colour) {
    void* memory = linn::detail::system_pages::map(bytes, g.slab_align);
    REQUIRE(memory != nullptr);
    const slab* s = slab::construct(memory, bytes, g, memory, colour, true);
    bool right = s != nullptr && s->is_slab() && s->capacity >= 1;
    if (right) {
        const auto begin = reinterpret_cast<std::uintptr_t>(memory);
        const auto first = reinterpret_cast<std::uintptr_t>(s->first);
        const std::size_t header = sizeof(slab) + 8 * linn::detail::slot_bitmap::storage_words(s->capacity);
        right = first % g.slot_align == 0 && first >= begin + header &&
                first + s->capacity * g.slot_bytes <= begin + bytes &&
                s->address_of(s->capacity - 1) == s->first + (s->capacity - 1) * g.slot_bytes;
    }
    linn::detail::system_pages::unmap(memory, bytes, g.slab_align);
    return right;
}

TEST_CASE("geometry: every slab holds an object, whatever its size and colour") {
    for (const std::size_t align : linn_test::sizes{1, 8, 16, 64, 256, 4096, 65'536}) {
        for (const std::size_t wanted :
             linn_test::sizes{1, 3, 24, 64, 100, 1500, 4000, 4096, 70'000, 300'000, 5'000'000}) {
            const std::size_t bytes = linn::detail::round_up(wanted, align);
            for (const geometry_wishes& wishes : all_wishes) {
                const geometry g = make_geometry(bytes, align, wishes);
                CAPTURE(bytes);
                CAPTURE(align);
                for (const std::size_t colour : linn_test::sizes{0, 1, 11, 31, 32, 63}) {
                    REQUIRE(slab_sound(g, g.first_slab_bytes, colour));
                    REQUIRE(slab_sound(g, g.slab_align, colour));
                }
            }
        }
    }
}

} // namespace core_geometry_tests
