// SPDX-License-Identifier: Apache-2.0
// Promise: value_initialization_fill counts exactly, value_initialization_fills never says yes without
// reason, and a library that fills what no constructor asked for is found.
#include "unit.hpp"

#include <linn/zero_fill.hpp>

namespace zero_fill_tests {

using linn::value_initialization_fill;
using linn::value_initialization_fills;

/// The class of the lecture: 8 MiB, and members that have constructors.
struct line {
    char data[8 << 20];
    std::atomic<long> references{0};
};
struct line_with_constructor {
    line_with_constructor() {}
    char data[8 << 20];
    std::atomic<long> references{0};
};
struct defaulted {
    defaulted() = default;
    char data[1000];
};
struct defaulted_outside {
    defaulted_outside();
    char data[1000];
};
defaulted_outside::defaulted_outside() = default;

struct nested {
    defaulted_outside inner;
    std::uint64_t number = 1;
};
class private_members : public std::vector<int> {
    [[maybe_unused]] char data_[128];
};
struct with_virtual {
    virtual ~with_virtual() = default;
    char data[64];
};
struct half { // 100 of 150 bytes are written by the constructor
    half() { std::memset(data, 7, 100); }
    char data[150];
};
struct initialised {
    char data[300]{};
    int number = 3;
};
struct partly {
    std::uint32_t length = 0;
    unsigned char bytes[1500];
};
struct padded {
    char c = 1;
    std::uint64_t n = 2;
    std::uint64_t left;
};
struct alignas(4096) page {
    char data[4096];
};
struct empty {};
struct poison_writer { // writes the very bytes that are used as poison
    poison_writer() { std::memset(data, 0xA5, sizeof data); }
    unsigned char data[64];
};
struct zeroing {
    zeroing() { std::memset(data, 0, sizeof data); }
    unsigned char data[64];
};

struct throwing {
    static inline int alive = 0;
    static inline int calls = 0;
    static inline int fail_at = -1;
    throwing() {
        if (calls++ == fail_at) {
            throw std::runtime_error{"no"};
        }
        ++alive;
    }
    ~throwing() { --alive; }
    char data[16];
};

// What the trait says yes to.
static_assert(value_initialization_fills<int> && value_initialization_fills<const int>);
static_assert(value_initialization_fills<int[7]> && value_initialization_fills<int[7][2]>);
static_assert(value_initialization_fills<line> && value_initialization_fills<line[2]>);
static_assert(value_initialization_fills<defaulted>);
static_assert(value_initialization_fills<private_members>);
static_assert(value_initialization_fills<with_virtual>);
static_assert(value_initialization_fills<partly>);
static_assert(value_initialization_fills<std::array<char, 300>>);
// And no to.
static_assert(!value_initialization_fills<line_with_constructor>);
static_assert(!value_initialization_fills<defaulted_outside>);
static_assert(!value_initialization_fills<initialised>);
static_assert(!value_initialization_fills<half>);
static_assert(!value_initialization_fills<empty>);
static_assert(!value_initialization_fills<std::string>);
static_assert(!value_initialization_fills<std::vector<int>>);
static_assert(!value_initialization_fills<std::optional<page>>);
static_assert(!value_initialization_fills<std::pair<int, int>>);
static_assert(!value_initialization_fills<std::mutex>);
static_assert(!value_initialization_fills<std::reference_wrapper<int>>, "it cannot be value-initialised");
// And where it is wrong: every member has a constructor, but one of these leaves bytes alone.
static_assert(!value_initialization_fills<nested>);

TEST_CASE("zero fill: exact counts") {
    CHECK(value_initialization_fill<int>() == sizeof(int));
    CHECK(value_initialization_fill<const int>() == sizeof(int));
    CHECK(value_initialization_fill<int[3][2]>() == 6 * sizeof(int));
    CHECK(value_initialization_fill<line>() == sizeof(line) - sizeof(long));
    CHECK(value_initialization_fill<line_with_constructor>() == 0);
    CHECK(value_initialization_fill<defaulted>() == 1000);
    CHECK(value_initialization_fill<defaulted_outside>() == 0);
    CHECK(value_initialization_fill<nested>() == 1000);
    CHECK(value_initialization_fill<private_members>() == 128);
    CHECK(value_initialization_fill<with_virtual>() == 64);
    CHECK(value_initialization_fill<half>() == 0);
    CHECK(value_initialization_fill<initialised>() == 0);
    CHECK(value_initialization_fill<partly>() == 1500);
    CHECK(value_initialization_fill<partly[4]>() == 6000);
    CHECK(value_initialization_fill<page>() == 4096);
    CHECK(value_initialization_fill<std::array<char, 300>>() == 300);
    CHECK(value_initialization_fill<std::string>() == 0);
    CHECK(value_initialization_fill<std::vector<int>>() == 0);
    CHECK(value_initialization_fill<poison_writer>() == 0);
    CHECK(value_initialization_fill<zeroing>() == 0);
    // Padding may be filled or not: 8 bytes for sure.
    CHECK(value_initialization_fill<padded>() >= 8);
    CHECK(value_initialization_fill<padded>() <= 8 + 7);
}

TEST_CASE("zero fill: the trait never says yes without reason") {
    CHECK(value_initialization_fill<private_members>() > 0);
    const auto agrees = [](bool says, std::size_t bytes) { return !says || bytes > 0; };
    CHECK(agrees(value_initialization_fills<std::array<std::string, 8>>,
                 value_initialization_fill<std::array<std::string, 8>>()));
    CHECK(agrees(value_initialization_fills<std::pair<int, std::array<int, 3>>>,
                 value_initialization_fill<std::pair<int, std::array<int, 3>>>()));
    CHECK(agrees(value_initialization_fills<std::optional<std::array<char, 64>>>,
                 value_initialization_fill<std::optional<std::array<char, 64>>>()));
}

TEST_CASE("zero fill: a constructor that throws leaves nothing behind") {
    for (int n = 0;; ++n) {
        throwing::calls = 0;
        throwing::fail_at = n;
        if (n == 4) { // all four objects could be made
            CHECK(value_initialization_fill<throwing>() == 0);
            break;
        }
        CHECK_THROWS_AS(static_cast<void>(value_initialization_fill<throwing>()), std::runtime_error);
        CHECK(throwing::alive == 0);
    }
    CHECK(throwing::alive == 0);
}

} // namespace zero_fill_tests
