// SPDX-License-Identifier: Apache-2.0
// Pages of the heap: what an object that is a pool can promise of them. And pages of a kernel whose own are larger.
#include "unit.hpp"

#include <linn/detail/os/pages_heap.hpp>
#include <linn/detail/os/system.hpp>
#include <linn/detail/sanitizer/asan.hpp>

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

#ifndef _WIN32
struct kernel_pages : linn::detail::posix_pages {
    using posix_pages::discard_inside;
};

TEST_CASE(
    "posix_pages: of a kernel with larger pages whole ones go back, and the rest is filled with zeros") {
    constexpr std::size_t page = 16384;
    auto* const p = static_cast<unsigned char*>(kernel_pages::map(8 * page, 8 * page));
    REQUIRE(p != nullptr);
    std::fill_n(p, 8 * page, static_cast<unsigned char>(0xff));
    const auto zeros = [p] { return std::count(p, p + 8 * page, static_cast<unsigned char>(0)); };

    const auto refuse = [](void*, std::size_t) noexcept { return false; };
    CHECK_FALSE(kernel_pages::discard_inside(p + 4096, 3 * page, page, refuse));
    CHECK(zeros() == 0);
    const auto accept = [&](void* begin, std::size_t bytes) noexcept {
        CHECK(begin == p + page);
        CHECK(bytes == 2 * page);
        std::fill_n(static_cast<unsigned char*>(begin), bytes, static_cast<unsigned char>(0));
        return true;
    };
    CHECK_FALSE(kernel_pages::discard_inside(p + 4096, page, page, accept)); // there is no whole page
    linn::detail::poison(p + 4096, 4096); // as free slots are, under AddressSanitizer
    CHECK(kernel_pages::discard_inside(p + 4096, 3 * page, page, accept));
    linn::detail::unpoison(p + 4096, 4096);
    CHECK(zeros() == 3 * page);
    CHECK(std::count(p + 4096, p + 4096 + 3 * page, static_cast<unsigned char>(0)) == 3 * page);
    kernel_pages::unmap(p, 8 * page, 8 * page);
}
#endif

} // namespace os_pages_tests
