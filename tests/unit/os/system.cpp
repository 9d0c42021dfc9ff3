// SPDX-License-Identifier: Apache-2.0
// What a report says of a caller when little is known: the address alone, never nothing and never a crash. Pages of the heap, and of
// a kernel whose own are larger.
#include "unit.hpp"

#include <linn/detail/os/backtrace.hpp>
#include <linn/detail/os/pages_heap.hpp>
#include <linn/detail/os/system.hpp>
#include <linn/detail/sanitizer/asan.hpp>

#include <cinttypes>
#include <cstdio>

namespace os_system_tests {

std::string described(const void* address) {
    char text[512];
    const int length = linn::detail::describe_caller(text, sizeof text, address);
    REQUIRE(length > 0);
    const std::string all{text};
    REQUIRE(all.size() == static_cast<std::size_t>(length));
    return all;
}

TEST_CASE("callers: an address in no module is described by itself, that of the call") {
    const auto heap = std::make_unique<char[]>(64);
    char wanted[64];
    std::snprintf(wanted, sizeof wanted, "(0x%" PRIxPTR ")",
                  reinterpret_cast<std::uintptr_t>(heap.get() + 32) - 1);
    CHECK(described(heap.get() + 32) == wanted);
}

TEST_CASE("callers: an address in a module is told by module and offset in checked builds") {
    const std::string here = described(reinterpret_cast<const void*>(&described));
    CHECK((here.find("+0x") != std::string::npos) == linn::detail::checked_build);
    CHECK(here.back() == ')');
}

TEST_CASE("callers: a caller that the stack does not have is the only one") {
    const auto heap = std::make_unique<char[]>(64);
    const void* frames[4] = {};
    CHECK(linn::detail::capture_callers(frames, 4, heap.get()) == 1);
    CHECK(frames[0] == heap.get());
    CHECK(frames[1] == nullptr);
}

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

} // namespace os_system_tests
