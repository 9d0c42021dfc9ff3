// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_OPTIONS_HPP
#define LINN_OPTIONS_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

#include <linn/detail/core/geometry.hpp>

#include <cstddef>

namespace linn::inline LINN_ABI {

/// What a `local_pool` does when it is destroyed before its objects. A `fixed_pool` can keep no memory: see there.
enum class survivors : unsigned char {
    report, ///< tell the misuse handler, and keep the memory so that the objects stay valid
    abort,  ///< tell the misuse handler, then end the program
    keep,   ///< keep the memory, silently
};

/// Options of a pool. They are part of its type, so two pools of one type with different options are
/// different pools, and no option can break the one-definition rule.
///
/// ```
/// using packets = linn::pool<packet, {.slab_bytes = 1 << 20, .cache_line_padding = true}>;
/// ```
struct pool_options {
    /// Largest slab, from 4096 to 1 GiB, rounded up to a power of two; slabs grow up to it. A slab that one
    /// object needs may be larger. 0: 2 MiB, or what one object needs.
    std::size_t slab_bytes = 0;
    /// Objects that a thread moves to or from the depot at once; it may hold back twice as many.
    /// From 1 to 4096. 0: about 8 KiB worth, from 64 to 256; of objects of 1 KiB and more up to 256 KiB worth, from 2 to 128;
    /// above 256 KiB one.
    std::size_t magazine_slots = 0;
    /// Free memory that is kept for reuse. What is more goes back to the system by `trim()`, or when threads visit the depot:
    /// a few slabs at each visit, of a slab that did not change for a second its free pages.
    std::size_t retain_bytes = std::size_t{4} << 20;
    /// Most objects that may be handed out at once, by all threads together: the next `allocate` throws
    /// `std::bad_alloc`, and succeeds again after any thread's `deallocate`. 0: no limit.
    ///
    /// A `pool` with a limit lets no thread cache objects, since a cached one would be missing elsewhere: each
    /// call takes the pool's lock. See docs/guide/bounded_memory.md for what that costs. A `local_pool` costs the same
    /// with a limit as without. A `fixed_pool` has its own.
    std::size_t max_objects = 0;
    /// Most bytes that the pool's slabs may take from the system together, those without objects included; at
    /// least one slab. When it is reached, the pool serves what its slabs hold, and throws `std::bad_alloc` when
    /// all of their slots are handed out. 0: no limit. Costs what `max_objects` costs.
    std::size_t max_bytes = 0;
    /// Give each object cache lines of its own, so that objects used by different threads never
    /// share one. Worth it for small objects that are handed between threads.
    bool cache_line_padding = false;
    /// Ask the system for huge pages from the first slab on, not only for pools over 64 MiB.
    bool huge_pages = false;
    /// For `local_pool` and `fixed_pool`.
    survivors on_survivors = survivors::report;

    friend constexpr bool operator==(const pool_options&, const pool_options&) = default;
};

/// The options of `pool<T>` where none are given. Specialise it to set them for a type everywhere:
///
/// ```
/// template <>
/// inline constexpr linn::pool_options linn::default_options<packet>{.cache_line_padding = true};
/// ```
template <class T>
inline constexpr pool_options default_options{};

namespace detail {

/// Instantiated by each pool: refuses options outside their range.
template <pool_options O>
struct checked_options {
    static_assert(O.slab_bytes == 0 || (O.slab_bytes >= page_bytes && O.slab_bytes <= largest_slab_bytes),
                  "linn::pool_options: slab_bytes must be 0, or from 4096 to 1 GiB");
    static_assert(O.magazine_slots <= largest_magazine_slots,
                  "linn::pool_options: magazine_slots must be 0, or from 1 to 4096");
    static constexpr bool done = true;
};

/// The options that were given, or those of the type, which may be specialised after it is named.
template <class T>
constexpr pool_options options_for() noexcept {
    return default_options<T>;
}
template <class T>
constexpr pool_options options_for(pool_options given) noexcept {
    return given;
}

constexpr geometry geometry_for(std::size_t bytes, std::size_t align, pool_options o,
                                bool local = false) noexcept {
    return make_geometry(bytes, align,
                         {.slab_bytes = o.slab_bytes,
                          .magazine_slots = o.magazine_slots,
                          .retain_bytes = o.retain_bytes,
                          .max_slots = o.max_objects,
                          .max_bytes = o.max_bytes,
                          .cache_line_padding = o.cache_line_padding,
                          .huge_pages = o.huge_pages,
                          .local = local,
                          .guarded = checked_build});
}

/// Whether a slab with one object may be as large as `max_bytes` allows; a checked build's guards do not count.
constexpr bool holds_one(std::size_t bytes, std::size_t align, pool_options o) noexcept {
    return o.max_bytes == 0 ||
           o.max_bytes >=
               smallest_slab_bytes(make_geometry(
                   bytes, align, {.slab_bytes = o.slab_bytes, .cache_line_padding = o.cache_line_padding}));
}

/// What all pools of objects of one size and alignment with the same options share: compilers compute and check it
/// once for all their types.
template <std::size_t Bytes, std::size_t Align, pool_options O>
struct pool_geometry {
    static constexpr geometry sizes = geometry_for(Bytes, Align, O);
    static_assert(sizes.slab_align <= largest_slab_bytes,
                  "linn::pool: an object must be smaller than 1 GiB, which is the largest slab");
    static_assert(holds_one(Bytes, Align, O), "linn::pool: max_bytes is less than a slab with one object");
};

} // namespace detail

} // namespace linn::inline LINN_ABI

#endif
#endif
