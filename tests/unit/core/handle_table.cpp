// SPDX-License-Identifier: Apache-2.0
// The table behind handles: each number once, growth without loss, nothing changed when memory is refused.
#include "failing_pages.hpp"
#include "unit.hpp"

#include <linn/detail/core/handle_table.hpp>

namespace core_handle_table_tests {

struct tag {};
using pages = linn_test::failing_pages<tag, false>;
using linn::detail::handle_table;

/// One index; there must be one.
template <class Table>
std::uint32_t take_one(Table& table) {
    std::uint32_t index = 0;
    table.take(&index + 1, 1);
    return index;
}

TEST_CASE("handle_table: numbers find their objects through all growth") {
    pages::reset();
    {
        handle_table<pages, 20, 12> table;
        std::vector<int> objects(5000);
        std::vector<std::uint32_t> numbers;
        for (int& o : objects) {
            REQUIRE(table.reserve(1));
            numbers.push_back(table.use(take_one(table), &o));
        }
        for (std::size_t i = 0; i != objects.size(); ++i) {
            CHECK(table.find(numbers[i]) == &objects[i]);
            CHECK(table.number_of(table.index_of(numbers[i])) == numbers[i]);
        }
        CHECK(table.number_of(0xfffff) == 0);
        CHECK(table.find(0xffffffff) == nullptr);
    }
    CHECK(pages::maps == pages::unmaps);
}

TEST_CASE("handle_table: a refused growth changes nothing") {
    pages::reset();
    pages::fail_from(1);
    handle_table<pages, 20, 12> table;
    int object = 0;
    std::vector<std::uint32_t> numbers;
    while (table.reserve(1)) {
        numbers.push_back(table.use(take_one(table), &object));
    }
    CHECK(numbers.size() == 64);
    CHECK(table.ready() == 0);
    for (const auto n : numbers) {
        CHECK(table.find(n) == &object);
    }
    pages::work();
    CHECK(table.reserve(1));
    CHECK(!table.reserve((std::size_t{1} << 20) + 1));
    CHECK((sizeof(void*) != 4 || !handle_table<pages, 31, 1>{}.reserve(std::size_t{1} << 30)));
}

TEST_CASE("handle_table: every number is made once, and then the index is retired") {
    pages::reset();
    handle_table<pages, 2, 3> table;
    int object = 0;
    std::set<std::uint32_t> numbers;
    while (table.reserve(1)) {
        const std::uint32_t index = take_one(table);
        const auto n = table.use(index, &object);
        CHECK(n != 0);
        CHECK(n < 32);
        CHECK(numbers.insert(n).second);
        CHECK(table.invalidate(index) == (table.generation_of(n) != 7));
        CHECK(table.find(n) == nullptr);
        table.give(&index, 1);
        CHECK(table.find(n) == nullptr);
    }
    CHECK(numbers.size() == 4 * 7);
    CHECK(table.retired() == 4);
}

TEST_CASE("handle_table: the lowest free indices are taken first, also after growth") {
    pages::reset();
    handle_table<pages, 20, 12> table;
    std::vector<std::uint32_t> indices(60);
    REQUIRE(table.reserve(60));
    table.take(indices.data() + 60, 60);
    CHECK(indices.back() == 0);
    std::vector<std::uint32_t> freed{41, 7, 59, 8, 23, 1};
    for (const std::uint32_t i : freed) {
        static_cast<void>(table.invalidate(i));
    }
    table.give(freed.data(), freed.size());
    REQUIRE(table.reserve(100)); // 64 at first
    std::vector<std::uint32_t> again(8);
    table.take(again.data() + 8, 8);
    CHECK(again == std::vector<std::uint32_t>{61, 60, 59, 41, 23, 8, 7, 1});
}

} // namespace core_handle_table_tests
