// SPDX-License-Identifier: Apache-2.0
// What a report says of a caller when little is known: the address alone, never nothing and never a crash.
#include "unit.hpp"

#include <linn/detail/os/backtrace.hpp>

#include <cinttypes>
#include <cstdio>

namespace os_callers_tests {

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

} // namespace os_callers_tests
