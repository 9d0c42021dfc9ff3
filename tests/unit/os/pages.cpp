// SPDX-License-Identifier: Apache-2.0
// Pages of the heap: what an object that is a pool can promise of them.
#include <linn/detail/os/pages_heap.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>

namespace os_pages_tests {

TEST_CASE("heap_pages: aligned, never given back in part, and nobody else's memory is looked at") {
    using linn::detail::heap_pages;
    void* p = heap_pages::map(16384, 8192);
    REQUIRE(p != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(p) % 8192 == 0);
    *static_cast<char*>(p) = 7;
    heap_pages::prefer_huge(p, 16384);
    CHECK_FALSE(heap_pages::discard(p, 16384));
    CHECK(*static_cast<char*>(p) == 7);
    CHECK_FALSE(heap_pages::readable(p));
    heap_pages::unmap(p, 16384, 8192);
}

} // namespace os_pages_tests
