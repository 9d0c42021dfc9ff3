// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_PAGES_HEAP_HPP
#define LINN_DETAIL_OS_PAGES_HEAP_HPP

#include <linn/config.hpp>
#include <linn/detail/sanitizer/asan.hpp>

#include <cstddef>
#include <new>

namespace linn::inline LINN_ABI::detail {

/// A page source over `operator new`: for pools that are objects themselves, where leak checkers
/// should see the memory. Nothing can be discarded without freeing it.
struct heap_pages {
    static constexpr bool zeroed = false;
    static constexpr std::size_t offset_step() noexcept { return 0; } // a heap aligns, and no more

    static void* map(std::size_t bytes, std::size_t align, std::size_t = 0) noexcept {
        return ::operator new(bytes, std::align_val_t{align}, std::nothrow);
    }
    static void unmap(void* p, std::size_t bytes, std::size_t align) noexcept {
        unpoison(p, bytes);
        ::operator delete(p, std::align_val_t{align});
    }
    static bool discard(void*, std::size_t) noexcept { return false; }
    static void prefer_huge(void*, std::size_t) noexcept {}
    static void prefer_small(void*, std::size_t) noexcept {}
    /// A pool that is an object does not look at the slabs of others.
    static bool readable(const void*) noexcept { return false; }
};

} // namespace linn::inline LINN_ABI::detail

#endif
