// SPDX-License-Identifier: Apache-2.0
// Runs of neighbouring objects, and the list and the set that for_each_live works with.
#include "failing_pages.hpp"
#include "unit.hpp"

#include <linn/detail/core/pointer_run.hpp>
#include <linn/detail/core/pointers.hpp>

namespace core_pointers_tests {

constexpr std::size_t longest = 200;

void* pointer(std::uintptr_t address) {
    return reinterpret_cast<void*>(address);
}

std::vector<void*> spaced(std::size_t count, std::uintptr_t first, std::uintptr_t step) {
    std::vector<void*> all(count);
    for (std::size_t i = 0; i < count; ++i) {
        all[i] = pointer(first + i * step);
    }
    return all;
}

TEST_CASE("write_run_below: every length, first address on top, nothing next to it touched") {
    const std::uintptr_t base = 0x7000'0000;
    for (const std::size_t step : {1U, 8U, 24U, 1504U, 1U << 20}) {
        for (std::size_t count = 0; count <= longest; ++count) {
            std::vector<void*> memory(longest + 8, nullptr);
            // An odd start too: the vectors must not need alignment.
            const std::size_t above = count % 3;
            void** end = memory.data() + longest + 6 - above;
            void** bottom =
                linn::detail::write_run_below(end, static_cast<std::byte*>(pointer(base)), count, step);
            REQUIRE(bottom == end - count);
            bool right = true;
            for (std::size_t i = 0; i < count; ++i) {
                right = right && *(end - 1 - i) == pointer(base + i * step);
            }
            for (void** p = memory.data(); p != memory.data() + memory.size(); ++p) {
                right = right && ((p >= bottom && p < end) || *p == nullptr);
            }
            REQUIRE_MESSAGE(right, "count ", count, " step ", step);
        }
    }
}

TEST_CASE("run_length: every length, upwards and downwards, broken at each place") {
    const std::uintptr_t base = 0x7000'0000;
    for (const std::uintptr_t step :
         {std::uintptr_t{24}, std::uintptr_t{0} - 24, std::uintptr_t{1}, std::uintptr_t{0} - (1U << 20)}) {
        for (std::size_t count = 1; count <= longest; ++count) {
            auto all = spaced(count, base, step);
            bool right = linn::detail::run_length(all.data(), count, step) == count;
            for (std::size_t broken = 1; broken < count; ++broken) {
                // One bit off is enough; the low and the high half of the word alike.
                const std::uintptr_t bit = std::uintptr_t{1} << (broken * 7 % 48);
                void* const kept = all[broken];
                all[broken] = pointer(reinterpret_cast<std::uintptr_t>(kept) ^ bit);
                right = right && linn::detail::run_length(all.data(), count, step) == broken;
                all[broken] = kept;
            }
            REQUIRE_MESSAGE(right, "count ", count, " step ", step);
        }
    }
}

template <bool Zeroed>
struct with {
    struct tag {};
    using pages = linn_test::failing_pages<tag, Zeroed>;
    using list = linn::detail::pointer_list<pages>;
    using set = linn::detail::pointer_set<pages>;
};

TEST_CASE_TEMPLATE("pointer_set: against std::set", zeroed, std::true_type, std::false_type) {
    using types = with<zeroed::value>;
    typename types::set set;
    std::set<void*> shadow;
    linn_test::random_source random{5};
    for (std::size_t step = 0; step < 60'000; ++step) {
        // Neighbours, so that there are clusters, around the sizes at which it grows.
        void* const p = pointer(4096 + 16 * random.below(step < 30'000 ? 600 : 3000));
        REQUIRE(set.contains(p) == (shadow.count(p) != 0));
        if (shadow.count(p) != 0) {
            CHECK(set.erase(p));
            CHECK_FALSE(set.erase(p));
            shadow.erase(p);
        } else {
            CHECK_FALSE(set.erase(p));
            REQUIRE(set.insert(p));
            shadow.insert(p);
        }
        CHECK(set.size() == shadow.size());
    }
    typename types::list list;
    REQUIRE(set.copy_to(list));
    CHECK(std::set<void*>(list.begin(), list.end()) == shadow);
    CHECK(list.size() == shadow.size());
}

} // namespace core_pointers_tests
