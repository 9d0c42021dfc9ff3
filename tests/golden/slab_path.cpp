// SPDX-License-Identifier: Apache-2.0
// slab_path MODE N, for Callgrind to count: N magazines of 128 slots are flushed to slabs and refilled from them. check.py collects
// what runs in the function that MODE names: `refill`, from words of the bitmap that are full; `flush_in_order`; `flush_scattered`, where
// no two neighbours of a magazine are neighbours in memory.
#include <linn/detail/core/slab_set.hpp>
#include <linn/detail/os/pages.hpp>

#include <cstdlib>
#include <cstring>

namespace {

using slabs = linn::detail::slab_set<linn::detail::system_pages, false>;

constexpr std::size_t slots = 128;
constexpr std::size_t magazines = 64;
constexpr std::size_t all = slots * magazines;

void give(slabs& set, void** objects) {
    set.give(objects, slots, [](auto&&...) { std::abort(); });
}

} // namespace

extern "C" void refill(void* set, void** end);
extern "C" void flush_in_order(void* set, void** objects);
extern "C" void flush_scattered(void* set, void** objects);

extern "C" [[gnu::noinline]] void refill(void* set, void** end) {
    if (static_cast<slabs*>(set)->take(end, slots) != slots) {
        std::abort();
    }
}
extern "C" [[gnu::noinline]] void flush_in_order(void* set, void** objects) {
    give(*static_cast<slabs*>(set), objects);
}
extern "C" [[gnu::noinline]] void flush_scattered(void* set, void** objects) {
    give(*static_cast<slabs*>(set), objects);
}

int main(int argc, char** argv) {
    if (argc != 3) {
        return 2;
    }
    const bool scattered = std::strcmp(argv[1], "flush_scattered") == 0;
    const unsigned long n = std::strtoul(argv[2], nullptr, 10);
    static slabs set{linn::detail::make_geometry(64, 8, {})};
    static void* objects[all];
    static void* magazine[slots];
    void* keep = nullptr; // so that the slab is never empty, and refills come out of its bitmap
    set.take(&keep + 1, 1);
    for (unsigned long i = 0; i < n; i += magazines) {
        for (std::size_t m = 0; m != magazines; ++m) {
            refill(&set, objects + (m + 1) * slots);
        }
        for (std::size_t m = 0; m != magazines; ++m) {
            for (std::size_t j = 0; j != slots; ++j) {
                const std::size_t at = m * slots + j;
                magazine[j] = objects[scattered ? at * 4099 % all : at];
            }
            (scattered ? flush_scattered : flush_in_order)(&set, magazine);
        }
    }
}
