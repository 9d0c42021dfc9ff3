// SPDX-License-Identifier: Apache-2.0
// Options are part of a pool's type: given at the use, or once for a type everywhere.
#include <linn/allocator.hpp>
#include <linn/options.hpp>
#include <linn/pool.hpp>

#include <cstdio>
#include <list>
#include <memory>
#include <type_traits>

struct counter {
    long hits;
};

struct frame {
    char pixels[64 * 1024];
};

// [default]
// From here on linn::pool<counter>, linn::allocator<counter> and linn::pooled<counter> pad.
template <>
inline constexpr linn::pool_options linn::default_options<counter>{.cache_line_padding = true};
// [/default]

// [inline]
using frames = linn::pool<frame, {.slab_bytes = 1 << 20, .magazine_slots = 8, .retain_bytes = 0}>;
// [/inline]
static_assert(!std::is_same_v<frames, linn::pool<frame>>); // other options, another pool

// [allocator]
using big_slabs = linn::allocator<int, std::allocator<int>, {.slab_bytes = 16 << 20}>;
using list = std::list<int, big_slabs>; // rebind keeps the options: the nodes' pool has them
// [/allocator]

int main() {
    counter* c = linn::pool<counter>::create(0);
    const auto counters = linn::pool<counter>::statistics();
    std::printf("a counter of %zu bytes occupies %zu\n", counters.object_bytes, counters.slot_bytes);
    linn::pool<counter>::destroy(c);

    frame* f = frames::allocate(); // storage only: nobody fills 64 KiB
    std::printf("frames alive: %zu, with default options: %zu\n", frames::statistics().live,
                linn::pool<frame>::statistics().live);
    frames::deallocate(f);

    const list numbers{1, 2, 3};
    std::printf("numbers: %zu\n", numbers.size());
}
