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
struct poison_writer { // writes the very bytes that are used as poison, while it is default-initialised
    static inline int made = 0;
    poison_writer() { std::memset(data, made++ < 2 ? 0xA5 : 1, sizeof data); }
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

/// Exact counts, and the trait says yes where there is one.
template <class T>
void check(std::size_t bytes) {
    CHECK(value_initialization_fill<T>() == bytes);
    CHECK(value_initialization_fills<T> == (bytes != 0));
}

// Where the trait is wrong: every member has a constructor, but one of these leaves bytes alone.
static_assert(!value_initialization_fills<nested>);
static_assert(!value_initialization_fills<empty>);
static_assert(!value_initialization_fills<std::mutex>);
static_assert(!value_initialization_fills<std::reference_wrapper<int>>, "it cannot be value-initialised");

TEST_CASE("zero fill: exact counts, and the trait says the same") {
    check<int>(sizeof(int));
    check<const int>(sizeof(int));
    check<int[7]>(7 * sizeof(int));
    check<int[3][2]>(6 * sizeof(int));
    check<line>(sizeof(line) - sizeof(long));
    check<line_with_constructor>(0);
    check<defaulted>(1000);
    check<defaulted_outside>(0);
    check<private_members>(128);
    check<with_virtual>(64);
    check<half>(0);
    check<initialised>(0);
    check<partly>(1500);
    check<partly[4]>(6000);
    check<page>(4096);
    check<std::array<char, 300>>(300);
    check<std::string>(0);
    check<std::vector<int>>(0);
    check<std::pair<int, std::array<int, 3>>>(0);
    check<std::optional<page>>(0);
    check<poison_writer>(0);
    check<zeroing>(0);
    CHECK(value_initialization_fill<nested>() == 1000);
    using strings = std::array<std::string, 8>; // each library leaves as much of them alone as it likes
    CHECK((!value_initialization_fills<strings> || value_initialization_fill<strings>() != 0));
    // Padding may be filled or not: 8 bytes for sure.
    CHECK(value_initialization_fill<padded>() >= 8);
    CHECK(value_initialization_fill<padded>() <= 8 + 7);
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
