// SPDX-License-Identifier: Apache-2.0
// What buffer_pool promises to one process: sizes and alignment, contents, ownership, wishes for huge
// pages, bad input. Faults, fork, limits and checkers are in tests/process/buffers_*.cpp.
#include "unit.hpp"

#include <linn/buffer_pool.hpp>
#include <linn/statistics.hpp>

#include <barrier>

namespace buffer_pool_tests {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;
using linn_test::is_aligned;

static_assert(!std::is_copy_constructible_v<linn::buffer> && !std::is_copy_assignable_v<linn::buffer>);
static_assert(std::is_nothrow_move_constructible_v<linn::buffer>);
static_assert(std::is_nothrow_move_assignable_v<linn::buffer>);
static_assert(std::is_nothrow_swappable_v<linn::buffer>);
static_assert(sizeof(linn::buffer) == sizeof(void*));
static_assert(!std::is_copy_constructible_v<linn::buffer_pool>);
static_assert(noexcept(std::declval<linn::buffer_pool&>().try_acquire()));

TEST_CASE("buffer_pool: any size, rounded up to pages, aligned, zero when new") {
    const std::size_t page = linn::detail::system_buffer_pages::page_bytes();
    for (const std::size_t bytes : {std::size_t{1}, page, page + 1, 64 * kib, 3 * mib + 17}) {
        linn::buffer_pool pool{bytes};
        linn::buffer b = pool.acquire();
        CHECK(b.size() == bytes);
        CHECK(b.span().size() == bytes);
        CHECK(b.span().data() == b.data());
        CHECK(b.capacity() == (bytes + page - 1) / page * page);
        CHECK(b.capacity() == pool.capacity());
        CHECK(pool.bytes() == bytes);
        CHECK(pool.alignment() == page);
        CHECK(is_aligned(b.data(), page));
        if (linn::detail::system_buffer_pages::zeroed) {
            CHECK(b.data()[0] == std::byte{0});
            CHECK(b.data()[b.capacity() - 1] == std::byte{0});
        }
        std::memset(b.data(), 0x5a, b.capacity());
    }
}

TEST_CASE("buffer_pool: alignment up to huge ones") {
    for (const std::size_t align : {std::size_t{1}, std::size_t{64}, 16 * kib, 2 * mib, 64 * mib}) {
        linn::buffer_pool pool{100 * kib, {.alignment = align}};
        std::vector<linn::buffer> all;
        for (int i = 0; i < 5; ++i) {
            all.push_back(pool.acquire());
            CHECK(is_aligned(all.back().data(), align));
            all.back().span().back() = std::byte{1};
        }
        CHECK(pool.alignment() >= align);
    }
}

struct line {
    char data[200 * kib];
    std::mutex lock;
    int size = 5;
};
struct counted {
    static inline int alive = 0;
    counted() { ++alive; }
    ~counted() { --alive; }
    char bytes[70000];
};
struct throwing {
    throwing() { throw std::runtime_error{"no"}; }
    char bytes[70000];
};
#if defined(_WIN32)
constexpr std::size_t more_than_a_page = 1 << 13; // the most that COFF can say
#else
constexpr std::size_t more_than_a_page = 1 << 16;
#endif
struct alignas(more_than_a_page) strict {
    char byte;
};

TEST_CASE("buffer_pool: an object in a buffer is default-initialised, destroyed, and never zeroed") {
    linn::buffer_pool pool{sizeof(line)};
    {
        linn::buffer b = pool.acquire();
        std::memset(b.data(), 0x5a, b.capacity());
    }
    {
        const std::shared_ptr<line> l = pool.make_shared_for_overwrite<line>();
        CHECK(l->data[0] == 0x5a);
        CHECK(l->data[sizeof l->data - 1] == 0x5a);
        CHECK(l->size == 5);
        const std::lock_guard guard{l->lock};
    }
    {
        const std::shared_ptr<counted> c = pool.make_shared_for_overwrite<counted>();
        CHECK(counted::alive == 1);
        CHECK(c->bytes[60000] == 0x5a);
    }
    CHECK(counted::alive == 0);
    CHECK_THROWS_AS(static_cast<void>(pool.make_shared_for_overwrite<throwing>()), std::runtime_error);
    CHECK(pool.statistics().live == 0);
    CHECK(pool.statistics().mappings == 1);
    using too_large = char[300 * kib];
    struct wrapped {
        too_large bytes;
    };
    CHECK_THROWS_AS(static_cast<void>(pool.make_shared_for_overwrite<wrapped>()), std::invalid_argument);
    CHECK_THROWS_AS(static_cast<void>(pool.make_shared_for_overwrite<strict>()), std::invalid_argument);
    linn::buffer_pool wide{1, {.alignment = more_than_a_page}};
    CHECK_THROWS_AS(static_cast<void>(wide.make_shared_for_overwrite<strict>()), std::invalid_argument);
    linn::buffer_pool fitting{sizeof(strict), {.alignment = alignof(strict)}};
    CHECK(is_aligned(fitting.make_shared_for_overwrite<strict>().get(), alignof(strict)));
}

// That it asks Linux: process.system_answers.
TEST_CASE("buffer_pool: huge pages are a wish that any size may have") {
    using enum linn::huge_page_use;
    for (const std::size_t bytes : {64 * kib, 5 * mib}) {
        linn::buffer_pool pool{bytes, {.huge_pages = transparent}};
        CHECK(pool.capacity() == bytes);
        linn::buffer b = pool.acquire();
        CHECK(b.huge_pages() ==
              (bytes < 2 * mib || !linn::detail::system_buffer_pages::zeroed ? off : transparent));
        b.span().back() = std::byte{1};
#if defined(__unix__) || defined(__APPLE__)
        CHECK((bytes < 2 * mib || is_aligned(b.data(), 2 * mib)));
#endif
    }
    linn::buffer_pool rounded{64 * kib, {.huge_pages = reserved}};
    CHECK(rounded.capacity() == 2 * mib);
    CHECK(linn::buffer{}.huge_pages() == off);
}

std::string refusal(std::size_t bytes, const linn::buffer_options& options = {}) {
    try {
        linn::buffer_pool pool{bytes, options};
    } catch (const std::invalid_argument& e) {
        return e.what();
    } catch (const std::length_error& e) {
        return std::string{"length: "} + e.what();
    }
    return {};
}

TEST_CASE("buffer_pool: bad input is refused with a reason") {
    CHECK(refusal(0) == "linn::buffer_pool: buffers of 0 bytes");
    for (const std::size_t align : {std::size_t{3}, std::size_t{12288}, SIZE_MAX}) {
        CHECK(refusal(1, {.alignment = align}) == "linn::buffer_pool: the alignment is not a power of two");
    }
    CHECK(refusal(64 * kib, {.max_bytes = 64 * kib - 1}) ==
          "linn::buffer_pool: max_bytes is less than one buffer");
    const std::string too_long = "length: linn::buffer_pool: a buffer larger than the address space";
    for (const std::size_t bytes :
         {SIZE_MAX, SIZE_MAX - 4095, SIZE_MAX / 2, SIZE_MAX / 2 + 1, std::size_t{PTRDIFF_MAX} / 2}) {
        CHECK(refusal(bytes) == too_long);
        CHECK(refusal(bytes, {.huge_pages = linn::huge_page_use::reserved}) == too_long);
    }
    CHECK(refusal(1, {.alignment = SIZE_MAX / 2 + 1}) == too_long);
    // What can be written down, but no system has: not even one where addresses are 64 bits wide.
    linn::buffer_pool vast{std::size_t{PTRDIFF_MAX} / 4};
    std::vector<linn::buffer> had;
    while (linn::buffer b = vast.try_acquire()) {
        had.push_back(std::move(b));
    }
    CHECK(had.size() < (sizeof(void*) == 8 ? 1U : 8U));
    CHECK_THROWS_AS(static_cast<void>(vast.acquire()), std::bad_alloc);
    CHECK(vast.statistics().slabs == had.size());
}

// Threads that acquire and release at the same time do not meet, no more than `retain_bytes` stay idle, and the numbers are exact
// once they are done. That an idle buffer is found wherever it is: tests/model.
std::vector<linn::buffer> several(linn::buffer_pool& pool, std::size_t n) {
    std::vector<linn::buffer> all;
    for (std::size_t i = 0; i < n; ++i) {
        all.push_back(pool.acquire());
    }
    return all;
}

TEST_CASE("buffer_pool: threads with one or a few buffers each do not meet") {
    constexpr int threads = 4;
    linn::buffer_pool pool{64 * kib};
    pool.reserve(3 * threads);
    std::atomic<std::size_t> before{0};
    std::barrier step{threads, [&]() noexcept { before = pool.statistics().depot_visits; }};
    std::barrier end{threads};
    std::atomic<std::size_t> after{0};
    linn_test::in_threads(threads, [&] {
        several(pool, 3).clear();
        several(pool, 3).clear();
        step.arrive_and_wait(); // each has its three
        for (int i = 0; i < 1000; ++i) {
            several(pool, 1 + static_cast<std::size_t>(i) % 3).clear();
        }
        end.arrive_and_wait();
        after = pool.statistics().depot_visits;
    });
    CHECK((after.load() == before.load() || !linn::detail::thread_locals_last)); // else they cache nothing
    const auto s = pool.statistics();
    CHECK(s.acquired == threads * (6 + 1999));
    CHECK(s.live == 0);
    CHECK(s.mappings == 3 * threads);
    CHECK(s.cached == 3 * threads);
    CHECK(s.peak <= 3 * threads);
}

TEST_CASE("buffer_pool: what lies idle does not count in the peak") {
    linn::buffer_pool pool{64 * kib};
    pool.reserve(40);
    for (int i = 0; i < 100; ++i) {
        several(pool, 2).clear();
    }
    CHECK(pool.statistics().peak == 2);
}

} // namespace buffer_pool_tests
