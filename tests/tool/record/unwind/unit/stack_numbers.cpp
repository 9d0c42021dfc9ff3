// SPDX-License-Identifier: Apache-2.0
// What a thread knows of stacks besides where they lay: their numbers by fingerprint, and the rules that it used last.
#include "record/preload/unwind/stack_numbers.hpp"

#include "record/preload/unwind/rule_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

using namespace linn::tool::unwind;

TEST_CASE("a stack has one fingerprint, and every frame, their order and their count are in it") {
    std::vector<std::uintptr_t> frames(16);
    for (std::size_t i = 0; i != frames.size(); ++i) {
        frames[i] = 0x5555'5555'0000 + 0x10 * i;
    }
    const auto print = [&](unsigned count) { return fingerprint::of(frames.data(), count); };
    std::set<std::pair<std::uint64_t, std::uint32_t>> seen;
    const auto is_another = [&](const fingerprint& p) { return seen.emplace(p.a, p.b).second; };
    CHECK(print(16) == print(16));
    for (unsigned count = 1; count <= 16; ++count) {
        CHECK(is_another(print(count)));
    }
    for (std::uintptr_t& frame : frames) {
        const std::uintptr_t before = frame;
        for (unsigned bit = 0; bit != 47; ++bit) {
            frame = before ^ std::uintptr_t{1} << bit;
            CHECK(is_another(print(16)));
        }
        frame = before;
    }
    for (std::size_t i = 1; i != frames.size(); ++i) {
        std::swap(frames[0], frames[i]);
        CHECK(is_another(print(16)));
        std::swap(frames[0], frames[i]);
    }
}

TEST_CASE("both parts of a fingerprint tell stacks apart") {
    std::mt19937_64 random{1};
    std::vector<std::uint64_t> first;
    std::vector<std::uint32_t> second;
    for (int i = 0; i != 20'000; ++i) {
        std::uintptr_t frames[7];
        for (std::uintptr_t& frame : frames) {
            frame = 0x7fff'0000'0000 + random() % 64 * 5; // few places, as programs have
        }
        const fingerprint print = fingerprint::of(frames, 7);
        first.push_back(print.a);
        second.push_back(print.b);
    }
    const auto distinct = [](auto values) {
        std::sort(values.begin(), values.end());
        return std::unique(values.begin(), values.end()) - values.begin();
    };
    CHECK(distinct(first) == 20'000);
    CHECK(distinct(second) > 19'990);
}

TEST_CASE("a number is found by its whole fingerprint, until it is displaced or forgotten") {
    const auto numbers = std::make_unique<stack_numbers>();
    const fingerprint one{0x1234'5678'9abc'def0, 17};
    CHECK(numbers->find(one) == 0);
    numbers->keep(one, 42);
    CHECK(numbers->find(one) == 42);
    CHECK(numbers->find({one.a, 18}) == 0);
    CHECK(numbers->find({one.a + 1, 17}) == 0);
    for (std::uint32_t i = 0; i != 100; ++i) {
        numbers->keep({one.a + 100 + i, i}, 1000 + i);
        for (std::uint32_t j = 0; j <= i; ++j) {
            const std::uint32_t found = numbers->find({one.a + 100 + j, j});
            CHECK((found == 0 || found == 1000 + j));
        }
        CHECK(numbers->find({one.a + 100 + i, i}) == 1000 + i);
    }
    numbers->keep(one, 43);
    CHECK(numbers->find(one) == 43);
    numbers->clear();
    CHECK(numbers->find(one) == 0);
}

TEST_CASE("a near rule is the rule of its address and of no other; what does not fit is not kept") {
    const auto near = std::make_unique<near_rules>();
    std::mt19937_64 random{2};
    CHECK(near->find(0x5555'0000'1234).kind() == rule_kind::none);
    for (int i = 0; i != 20'000; ++i) {
        const std::uintptr_t address = random() & 0x7fff'ffff'ffff;
        const auto cfa = static_cast<std::int64_t>(random() % 32768) * 8 - 131'072;
        const rule value = rule::make(rule_kind::stack_pointer, cfa, saved_rbp::below_cfa,
                                      -8 * static_cast<std::int64_t>(random() % 200));
        near->insert(address, value);
        const rule found = near->find(address);
        CHECK((found == value || (found.kind() == rule_kind::none && !value.is_short())));
        CHECK(value.is_short() == (cfa >= -65'536 && cfa < 65'536));
        CHECK(near->find(address ^ 1).kind() == rule_kind::none);
        CHECK(near->find(address ^ std::uintptr_t{1} << 40).kind() == rule_kind::none);
    }
    near->insert(0x1234, rule{rule_kind::end});
    CHECK(near->find(0x1234).kind() == rule_kind::end);
    near->clear();
    CHECK(near->find(0x1234).kind() == rule_kind::none);
}
