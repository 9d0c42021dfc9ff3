// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_RESOURCE_SETTINGS_HPP
#define LINN_DETAIL_SYNC_RESOURCE_SETTINGS_HPP

#include <linn/config.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/core/size_classes.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace linn::inline LINN_ABI::detail {

/// Where an object that pools memory gets its own: a pair of functions and what they are called with.
struct chunk_functions {
    void* context = nullptr;
    void* (*get)(void* context, std::size_t bytes, std::size_t align) = nullptr; ///< may throw
    void (*put)(void* context, void* p, std::size_t bytes, std::size_t align) = nullptr;
};

/// What a resource was made with.
struct resource_settings {
    chunk_functions upstream;
    bool own_pages = true; ///< slabs come from the system, not from upstream
    bool memory_stays =
        true; ///< whether it stays when threads are gone: it is of the system or of operator new
    std::size_t slab_bytes = 0;
    std::size_t retain_bytes = 0;
    std::size_t max_bytes = SIZE_MAX; ///< that are taken from upstream and the system
    const void* pool = nullptr;       ///< whom the observer hears of
};

/// How many slots a front of class `c` has room for: 16 KiB worth, for the reason that `make_geometry` gives, and enough larger
/// ones to make visits of the depot rare.
inline constexpr std::size_t most_resource_front_slots = 512;
constexpr std::size_t resource_front_slots(unsigned c) noexcept {
    constexpr std::size_t kib = 1024;
    const std::size_t few = clamp(128 * kib / class_bytes(c), 2, 128);
    return clamp(16 * kib / class_bytes(c), few, most_resource_front_slots);
}

/// Slabs hold sixteen of the largest slots. Where memory is the system's they are aligned as far apart
/// as they may grow, which costs addresses only; of an upstream no more is asked than needed. Below a limit they are a
/// sixteenth of it, so that each of many classes can have a part of it.
///
/// Each class puts its slabs behind another number of pages, five apart. If all began at the same address bits, the first pages of
/// thirty classes would compete for one set of the TLB: a server with 5000 blocks of 8 to 1000 bytes took 43 ns a
/// block so, 28 with offsets (docs/design/memory_resource.md).
///
/// @param offset_step what the offset must be a multiple of; 0: there is none
constexpr geometry resource_geometry(const resource_settings& s, unsigned c,
                                     std::size_t offset_step) noexcept {
    constexpr std::size_t kib = 1024;
    geometry g;
    g.slot_bytes = class_bytes(c);
    g.slot_align = class_align(c);
    const std::size_t least = std::bit_ceil(s.own_pages ? 16 * g.slot_bytes : 8 * g.slot_bytes);
    const std::size_t usual = s.slab_bytes != 0 ? std::bit_ceil(clamp(s.slab_bytes, page_bytes, kib * kib))
                              : s.own_pages     ? kib * kib
                                                : 64 * kib;
    const std::size_t share = std::bit_floor(clamp(s.max_bytes / 16, page_bytes, kib * kib));
    const std::size_t wished = usual < share ? usual : share;
    g.slab_align = wished > least ? wished : least;
    const std::size_t first = s.own_pages ? 64 * kib : 16 * kib;
    g.first_slab_bytes = first > least ? first : least;
    if (g.first_slab_bytes > g.slab_align) {
        g.first_slab_bytes = g.slab_align;
    }
    if (s.own_pages && offset_step != 0) {
        const std::size_t unit =
            offset_step > g.slot_align ? offset_step : g.slot_align; // slots stay aligned
        g.slab_offset = 5 * page_bytes * c % g.slab_align / unit * unit;
    }
    g.retain_bytes = s.retain_bytes;
    return g;
}

} // namespace linn::inline LINN_ABI::detail

#endif
