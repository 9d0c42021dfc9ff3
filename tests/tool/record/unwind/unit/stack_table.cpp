// SPDX-License-Identifier: Apache-2.0
// Equal stacks have one record and numbers are dense, in one thread and in several.
#include "record/preload/unwind/stack_table.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <thread>
#include <vector>

using linn::tool::unwind::stack_record;
using linn::tool::unwind::stack_table;

TEST_CASE("numbers are dense from 1, and equal stacks are one") {
    auto table = std::make_unique<stack_table>();
    constexpr unsigned count = 30'000; // more than a segment holds
    std::vector<stack_record*> records;
    for (unsigned i = 0; i != count; ++i) {
        const std::uintptr_t frames[] = {0x1000 + i, 0x2000, 0x3000 + i % 7, 0x4000};
        stack_record* const record = table->find_or_add(frames, 1 + i % 4, 0);
        REQUIRE(record != nullptr);
        REQUIRE(record->id == i + 1);
        REQUIRE_FALSE(record->is_defined);
        records.push_back(record);
    }
    CHECK(table->size() == count);
    for (unsigned i = 0; i != count; ++i) {
        const std::uintptr_t frames[] = {0x1000 + i, 0x2000, 0x3000 + i % 7, 0x4000};
        REQUIRE(table->find_or_add(frames, 1 + i % 4, 0) == records[i]);
        REQUIRE(records[i]->count == 1 + i % 4);
        REQUIRE(std::memcmp(records[i]->frames(), frames, records[i]->count * sizeof *frames) == 0);
    }
    CHECK(table->size() == count);
}

TEST_CASE("in another epoch it is another stack") {
    auto table = std::make_unique<stack_table>();
    const std::uintptr_t frames[] = {1, 2, 3};
    stack_record* const before = table->find_or_add(frames, 3, 0);
    stack_record* const after = table->find_or_add(frames, 3, 1);
    CHECK(before != after);
    CHECK(before->id != after->id);
    CHECK(table->find_or_add(frames, 3, 0) == before);
}

TEST_CASE("a shorter stack is another one") {
    auto table = std::make_unique<stack_table>();
    const std::uintptr_t frames[] = {1, 2, 3};
    CHECK(table->find_or_add(frames, 3, 0) != table->find_or_add(frames, 2, 0));
}

TEST_CASE("threads agree") {
    auto table = std::make_unique<stack_table>();
    constexpr unsigned threads = 4;
    constexpr unsigned count = 5000;
    std::vector<std::vector<std::uint32_t>> ids(threads);
    std::vector<std::thread> running;
    for (unsigned number = 0; number != threads; ++number) {
        running.emplace_back([&, number] {
            for (unsigned i = 0; i != count; ++i) {
                const std::uintptr_t frames[] = {i, i + 1};
                ids[number].push_back(table->find_or_add(frames, 2, 0)->id);
            }
        });
    }
    for (auto& thread : running) {
        thread.join();
    }
    for (unsigned number = 1; number != threads; ++number) {
        CHECK(ids[number] == ids[0]);
    }
    CHECK(table->size() >= count);
    CHECK(table->size() < count * threads);
}
