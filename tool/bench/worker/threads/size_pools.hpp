// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linn/detail/core/size_classes.hpp>

#include <array>
#include <cstddef>
#include <utility>

namespace linn::tool::worker {

/// An object of that size, aligned as an object of that size may need, to 16 at most.
template <std::size_t Bytes>
struct alignas((Bytes & (~Bytes + 1)) < 16 ? (Bytes & (~Bytes + 1)) : 16) sized_object {
    unsigned char bytes[Bytes];
};

/// A program that knows its types has a pool for each, and each place in it knows which. These programs draw sizes at random,
/// so here is a pool for each of the 52 size classes of `pool_resource` (8 bytes to 128 KiB, a quarter larger each), found by a
/// table: every call costs a look-up and an indirect call more than a pool does, and what a block is larger than asked
/// for counts as memory. No program asks for more than 128 KiB.
///
/// `Pool<Bytes>` has `static void* take()` and `static void give(void*) noexcept`.
template <template <std::size_t> class Pool>
struct size_pools {
    static void* take(std::size_t bytes) { return table[detail::class_of(bytes)].take(); }
    static void give(void* p, std::size_t bytes) noexcept { table[detail::class_of(bytes)].give(p); }

private:
    struct entry {
        void* (*take)();
        void (*give)(void*) noexcept;
    };

    template <std::size_t... Class>
    static constexpr std::array<entry, sizeof...(Class)> make(std::index_sequence<Class...>) {
        return {entry{&Pool<detail::class_bytes(Class)>::take, &Pool<detail::class_bytes(Class)>::give}...};
    }

    static constexpr std::array<entry, detail::size_class_count> table =
        make(std::make_index_sequence<detail::size_class_count>{});
};

} // namespace linn::tool::worker
