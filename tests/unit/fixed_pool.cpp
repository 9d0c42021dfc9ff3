// SPDX-License-Identifier: Apache-2.0
// Promise: a fixed_pool has its objects inside itself, constant-initialised in .bss: it never allocates, is full at its capacity.
// What all pools promise is in every_pool.cpp; that every build reports misuse at once: tests/fuzz.
#include "unit.hpp"

#include <linn/fixed_pool.hpp>

namespace fixed_pool_tests {

using linn::fixed_pool;
using linn::survivors;

struct order {
    std::uint64_t id = 0;
    std::uint64_t more[5] = {};
};

struct alignas(256) aligned {
    ~aligned() { value = -1; }
    int value = 7;
};

struct text {
    std::string words = "longer than any short string optimisation";
};

// Constant initialisation, whatever the type: not one instruction runs before main for these.
constinit fixed_pool<order, 1024> orders;
constinit fixed_pool<aligned, 100> aligned_ones;
constinit fixed_pool<text, 3> texts;
constinit fixed_pool<std::uint64_t, 1 << 17> mebibyte;
thread_local constinit fixed_pool<int, 4> of_each_thread;

/// Runs before main, and in any order with what is above.
struct early {
    early() : first{orders.create(order{.id = 17})} {}
    ~early() { orders.destroy(first); }
    order* first;
} const before_main;

static_assert(std::is_nothrow_default_constructible_v<fixed_pool<order, 8>>);
static_assert(!std::is_copy_constructible_v<fixed_pool<order, 8>> &&
              !std::is_move_assignable_v<fixed_pool<order, 8>>);
static_assert(fixed_pool<order, 8>::capacity() == 8);

// A static pool registers nothing to be run at exit, unless there is something to report.
constexpr bool looks_at_exit = linn::detail::checked_build || linn::detail::sanitizer_poison;
static_assert(std::is_trivially_destructible_v<fixed_pool<text, 8>> != looks_at_exit);
static_assert(std::is_trivially_destructible_v<fixed_pool<text, 8, {.on_survivors = survivors::keep}>> !=
              linn::detail::sanitizer_poison);
static_assert(!std::is_trivially_destructible_v<fixed_pool<text, 8, {.on_survivors = survivors::abort}>>);

// What it holds besides the objects: an index and a bit for each, and three counters.
struct counters_and_bits {
    std::uint32_t counters[2];
    std::size_t peak;
    std::uint64_t bits;
};
constexpr std::size_t counters = sizeof(counters_and_bits) - sizeof(std::uint64_t);
static_assert(counters <= 16);
static_assert(sizeof(fixed_pool<order, 1024>) == 1024 * (sizeof(order) + 2) + 1024 / 8 + counters);
static_assert(sizeof(fixed_pool<std::uint32_t, 256>) == 256 * (4 + 1) + 256 / 8 + counters);
static_assert(sizeof(fixed_pool<std::uint64_t, 1 << 17>) == (1 << 17) * (8 + 4) + (1 << 17) / 8 + counters);
static_assert(sizeof(fixed_pool<char, 0>) <= 32);
static_assert(alignof(fixed_pool<aligned, 3>) == 256);
static_assert(sizeof(fixed_pool<char, 8, {.cache_line_padding = true}>) == 64 + 8 * 64);

template <class Pool>
std::vector<typename Pool::value_type*> take_all(Pool& pool) {
    std::vector<typename Pool::value_type*> all;
    while (auto* p = pool.try_allocate()) {
        all.push_back(p);
    }
    return all;
}

#if defined(__ELF__)
extern "C" {
extern const char __bss_start; // NOLINT(bugprone-reserved-identifier): the linker's names
extern const char _end;        // NOLINT(bugprone-reserved-identifier)
}

TEST_CASE("fixed_pool: a static pool lies in .bss and costs the executable nothing") {
    const auto in_bss = [](const auto& pool) {
        const auto begin = reinterpret_cast<std::uintptr_t>(&pool);
        return begin >= reinterpret_cast<std::uintptr_t>(&__bss_start) &&
               begin + sizeof pool <= reinterpret_cast<std::uintptr_t>(&_end);
    };
    CHECK(in_bss(orders));
    CHECK(in_bss(aligned_ones));
    CHECK(in_bss(texts));
    CHECK(in_bss(mebibyte));
    static constinit int initialised = 5;
    CHECK(!in_bss(initialised)); // the check can fail
}
#endif

TEST_CASE("fixed_pool: usable before main") {
    REQUIRE(before_main.first != nullptr);
    CHECK(before_main.first->id == 17);
    CHECK(orders.owns(before_main.first));
}

TEST_CASE("fixed_pool: indices of 16 and of 32 bits") {
    static constinit fixed_pool<std::uint8_t, 1 << 16> sixteen;
    static constinit fixed_pool<std::uint8_t, (1 << 16) + 1> more;
    for (int round = 0; round < 2; ++round) {
        auto all = take_all(sixteen);
        CHECK(all.size() == 1 << 16);
        sixteen.deallocate_n(all);
        all = take_all(more);
        CHECK(all.size() == (1 << 16) + 1);
        CHECK(std::set<void*>(all.begin(), all.end()).size() == all.size());
        more.deallocate_n(all);
    }
}

TEST_CASE("fixed_pool: padding, and objects that are constant") {
    fixed_pool<char, 8, {.cache_line_padding = true}> padded;
    char* first = padded.allocate();
    CHECK(padded.allocate() == first + 64);
    padded.release();
    fixed_pool<const int, 2> constants;
    const int* constant = constants.create(3);
    CHECK(*constant == 3);
    constants.destroy(constant);
}

TEST_CASE("fixed_pool: one a thread; and where one was others may write, also under AddressSanitizer") {
    std::thread{[] {
        CHECK(of_each_thread.empty());
        of_each_thread.destroy(of_each_thread.create(1));
    }}.join();
    using brief = fixed_pool<order, 50>;
    alignas(brief) std::byte place[sizeof(brief)];
    auto* pool = ::new (static_cast<void*>(place)) brief;
    CHECK(pool->create()->id == 0);
    pool->release();
    std::destroy_at(pool);
    std::memset(place, 1, sizeof place);
    CHECK(place[100] == std::byte{1});
}

} // namespace fixed_pool_tests
