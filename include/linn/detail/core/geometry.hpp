// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_GEOMETRY_HPP
#define LINN_DETAIL_CORE_GEOMETRY_HPP

#include <linn/config.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace linn::inline LINN_ABI::detail {

inline constexpr std::size_t cache_line_bytes = 64;
inline constexpr std::size_t page_bytes = 4096;

/// A guarded slot has a fence of at least this size on each side of its object, and a record: see
/// slot_guard.hpp.
inline constexpr std::size_t guard_fence_bytes = 8;
inline constexpr std::size_t slot_record_align = alignof(void*);
inline constexpr std::size_t slot_record_bytes = (1 + 2 * 12) * sizeof(void*);

constexpr std::size_t round_up(std::size_t n, std::size_t multiple) noexcept {
    return (n + multiple - 1) / multiple * multiple;
}

constexpr std::size_t clamp(std::size_t n, std::size_t low, std::size_t high) noexcept {
    return n < low ? low : (n > high ? high : n);
}

/// The sizes of one pool, all of them constants of its type.
struct geometry {
    std::size_t slot_bytes = 0;       ///< distance from one object to the next
    std::size_t slot_align = 0;       ///< alignment of every slot
    std::size_t object_bytes = 0;     ///< of a slot, what the object may use
    std::size_t object_align = 1;     ///< what the object asks for
    std::size_t record_offset = 0;    ///< from an object to its slot_record; 0: slots have no guards
    std::size_t slab_align = 0;       ///< largest slab, and the alignment of all: a power of two
    std::size_t slab_offset = 0;      ///< slabs begin that far behind a multiple of `slab_align`: whole pages
    std::size_t first_slab_bytes = 0; ///< the first slab; later ones double up to `slab_align`
    std::size_t magazine_slots = 0;   ///< see magazine_cache
    std::size_t retain_bytes = 0;     ///< empty slabs kept for reuse, in bytes
    std::size_t max_slots = SIZE_MAX; ///< slots that may be out at once
    std::size_t max_bytes = SIZE_MAX; ///< bytes that all slabs together may take
    bool huge_pages = false;          ///< ask the system for huge pages

    [[nodiscard]] constexpr bool guarded() const noexcept { return record_offset != 0; }
    /// Whether there is a limit that all threads share.
    [[nodiscard]] constexpr bool limited() const noexcept {
        return max_slots != SIZE_MAX || max_bytes != SIZE_MAX;
    }

    friend constexpr bool operator==(const geometry&, const geometry&) = default;
};

/// Divides multiples of a constant, and tells other numbers apart, with one multiplication and one
/// rotation: multiples of the divisor's odd part come down to their quotient modulo 2^64, and low bits
/// that are not zero are rotated to the top.
///
/// @source Granlund, Montgomery: Division by Invariant Integers using Multiplication, 1994, section 9
class exact_divider {
public:
    /// @pre `divisor` is not 0
    constexpr explicit exact_divider(std::size_t divisor) noexcept : shift_{std::countr_zero(divisor)} {
        const std::size_t odd = divisor >> shift_;
        inverse_ = odd; // right in its lowest 3 bits; each step doubles their number
        for (int right = 3; right < std::numeric_limits<std::size_t>::digits; right *= 2) {
            inverse_ *= 2 - odd * inverse_;
        }
    }

    /// `n` / divisor if that is exact, else a number greater than any quotient.
    [[nodiscard]] constexpr std::size_t quotient(std::size_t n) const noexcept {
        return std::rotr(n * inverse_, shift_);
    }

private:
    int shift_;
    std::size_t inverse_ = 0;
};

/// What a user may ask for; zero means "you choose".
struct geometry_wishes {
    std::size_t slab_bytes = 0;
    std::size_t magazine_slots = 0;
    std::size_t retain_bytes = 0;
    std::size_t max_slots = 0;
    std::size_t max_bytes = 0;
    bool cache_line_padding = false;
    bool huge_pages = false;
    bool local = false;   ///< for a pool that is an object: many may exist, each often small
    bool guarded = false; ///< fences around each object, and a record of its callers
};

/// Address space is scarce on 32-bit machines: their slabs stay small.
inline constexpr std::size_t largest_default_slab_bytes =
    sizeof(void*) >= 8 ? std::size_t{2} << 20 : std::size_t{256} << 10;
/// Offsets into a slab are 32 bits wide.
inline constexpr std::size_t largest_slab_bytes = std::size_t{1} << 30;
inline constexpr std::size_t largest_default_local_slab_bytes = std::size_t{256} << 10;
inline constexpr std::size_t largest_magazine_slots = 4096;

/// The least that holds one slot, and a header next to it: see slab.hpp.
constexpr std::size_t smallest_slab_bytes(const geometry& g) noexcept {
    return round_up(g.slot_bytes + round_up(page_bytes, g.slot_align), page_bytes);
}

/// @complexity constant; meant for constant evaluation.
constexpr geometry make_geometry(std::size_t object_bytes, std::size_t object_align,
                                 geometry_wishes wishes) noexcept {
    geometry g{.object_bytes = object_bytes, .object_align = object_align};
    // A class derived from a `pooled` one of its size can be aligned as `new` aligns; fences must not change that.
    const std::size_t least = wishes.cache_line_padding ? cache_line_bytes
                              : wishes.guarded          ? __STDCPP_DEFAULT_NEW_ALIGNMENT__
                                                        : 1;
    g.slot_align = clamp(object_align, least, SIZE_MAX);
    g.slot_bytes = round_up(object_bytes, g.slot_align);
    if (wishes.guarded) {
        g.record_offset = round_up(object_bytes + guard_fence_bytes, slot_record_align);
        g.slot_bytes = round_up(g.record_offset + slot_record_bytes + guard_fence_bytes, g.slot_align);
    }

    // A slab must hold its header and one object at least. Objects up to 256 KiB share slabs of
    // 2 MiB; larger ones get a slab each, of which only the used part is ever mapped.
    const std::size_t smallest = smallest_slab_bytes(g);
    const std::size_t wished = wishes.slab_bytes != 0 ? clamp(wishes.slab_bytes, 1, largest_slab_bytes)
                               : wishes.local && !wishes.huge_pages ? largest_default_local_slab_bytes
                                                                    : largest_default_slab_bytes;
    const std::size_t smallest_slab = wishes.local ? page_bytes : std::size_t{64} << 10;
    g.slab_align = std::bit_ceil(smallest > wished ? smallest : wished);
    if (g.slot_bytes > g.slab_align / 8) {
        g.first_slab_bytes = smallest;
    } else {
        const std::size_t eight = std::bit_ceil(8 * g.slot_bytes + page_bytes / 2);
        // A huge page serves a whole slab or nothing.
        g.first_slab_bytes =
            wishes.huge_pages
                ? g.slab_align
                : clamp(eight, smallest_slab < g.slab_align ? smallest_slab : g.slab_align, g.slab_align);
    }

    // What a thread may hold back is two magazines. Objects come out of them in the order in which they were freed, so they
    // hold less than the first-level cache, where order does not matter; but enough large objects to make visits of the depot rare.
    constexpr std::size_t kib = 1024;
    const std::size_t few =
        g.slot_bytes < kib ? 64 : clamp(256 * kib / g.slot_bytes, g.slot_bytes <= 256 * kib ? 2 : 1, 128);
    g.magazine_slots = wishes.magazine_slots != 0 ? clamp(wishes.magazine_slots, 1, largest_magazine_slots)
                                                  : clamp(8 * kib / g.slot_bytes, few, 256);
    g.retain_bytes = wishes.retain_bytes;
    g.huge_pages = wishes.huge_pages;
    g.max_slots = wishes.max_slots != 0 ? wishes.max_slots : SIZE_MAX;
    // One slab at least: guards may make it larger than the user reckoned with.
    g.max_bytes = wishes.max_bytes == 0
                      ? SIZE_MAX
                      : clamp(wishes.max_bytes / page_bytes * page_bytes, smallest, SIZE_MAX);
    return g;
}

/// How a pool or a resource serves: decided once, when its depots are made.
enum class service : unsigned char {
    cached, ///< threads hold caches
    direct, ///< each call goes to the slabs and is checked there: checked builds, and where there is a limit
    bypass, ///< each object is an `operator new`, so that a memory checker sees it
};

/// A string_view whose debug information is small: it comes into each object file that uses a pool.
struct type_label {
    const char* text = "";
    std::size_t size = 0;
};
constexpr type_label label_of(std::string_view name) noexcept {
    return {name.data(), name.size()};
}
constexpr std::string_view text_of(type_label l) noexcept {
    return {l.text, l.size};
}
constexpr bool operator==(type_label a, type_label b) noexcept {
    return text_of(a) == text_of(b);
}

/// What a pool is, as constants of its type; copied into its depot.
struct pool_description {
    geometry sizes;
    type_label type;

    /// The same type and options: what different modules of a program call by one name is one pool.
    friend constexpr bool operator==(const pool_description&, const pool_description&) = default;
};

} // namespace linn::inline LINN_ABI::detail

#endif
