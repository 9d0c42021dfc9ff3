// SPDX-License-Identifier: Apache-2.0
// The list and the set of pointers that for_each_live works with, against those of the standard library.
#include "failing_pages.hpp"
#include "unit.hpp"

#include <linn/detail/core/pointer_list.hpp>
#include <linn/detail/core/pointer_set.hpp>

namespace core_pointer_set_tests {

using linn_test::random_source;

void* pointer(std::size_t n) {
    void* p = nullptr;
    const std::uintptr_t bits = 4096 + n * 16;
    std::memcpy(&p, &bits, sizeof p);
    return p;
}

template <bool Zeroed>
struct with {
    struct tag {};
    using pages = linn_test::failing_pages<tag, Zeroed>;
    using list = linn::detail::pointer_list<pages>;
    using set = linn::detail::pointer_set<pages>;
};

TEST_CASE("pointer_list: grows, sorts and finds") {
    using list_type = with<true>::list;
    for (const std::size_t n : {0U, 1U, 2U, 3U, 10U, 511U, 512U, 513U, 5000U}) {
        random_source random{n};
        list_type list;
        std::vector<void*> all;
        CHECK(list.size() == 0);
        while (all.size() < n) {
            std::vector<void*> some(std::min<std::size_t>(n - all.size(), random.below(20)));
            for (void*& p : some) {
                p = pointer(random.below(n));
            }
            REQUIRE(list.append(some.data(), some.size()));
            all.insert(all.end(), some.begin(), some.end());
        }
        REQUIRE(list.size() == n);
        CHECK(std::equal(list.begin(), list.end(), all.begin(), all.end()));
        list.sort();
        std::sort(all.begin(), all.end());
        CHECK(std::equal(list.begin(), list.end(), all.begin(), all.end()));
        for (std::size_t i = 0; i < n + 2; ++i) {
            const auto found = std::lower_bound(all.begin(), all.end(), pointer(i)) - all.begin();
            CHECK(list.first_from(pointer(i)) - list.begin() == found);
        }
    }
}

TEST_CASE_TEMPLATE("pointer_set: against std::set", zeroed, std::true_type, std::false_type) {
    using types = with<zeroed::value>;
    typename types::set set;
    std::set<void*> shadow;
    random_source random{5};
    for (std::size_t step = 0; step < 60'000; ++step) {
        // Neighbours, so that there are clusters, around the sizes at which it grows.
        void* const p = pointer(random.below(step < 30'000 ? 600 : 3000));
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
    list.sort();
    CHECK(std::equal(list.begin(), list.end(), shadow.begin(), shadow.end()));
}

} // namespace core_pointer_set_tests
