// SPDX-License-Identifier: Apache-2.0
// A rule in 31 bits says what it was made of, or that it cannot; the table never gives an address the rule of another.
#include "record/preload/unwind/rule_table.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <thread>
#include <vector>

using namespace linn::tool::unwind;

TEST_CASE("a rule keeps its offsets") {
    for (const std::int64_t cfa : {8, 16, 4096, 500'000, -8, -4096}) {
        for (const std::int64_t rbp : {-16, -8, -56, 0, 8, 2040, -2048}) {
            const rule made = rule::make(rule_kind::frame_pointer, cfa, saved_rbp::below_cfa, rbp);
            CHECK(made.kind() == rule_kind::frame_pointer);
            CHECK(made.cfa_offset() == cfa);
            CHECK(made.rbp() == saved_rbp::below_cfa);
            CHECK(made.rbp_offset() == rbp);
            CHECK((made.bits() >> rule::bit_count) == 0);
        }
    }
}

TEST_CASE("plain is what a walk follows without looking at rbp") {
    for (const auto kind : {rule_kind::none, rule_kind::stack_pointer, rule_kind::frame_pointer,
                            rule_kind::saved_by_frame, rule_kind::end, rule_kind::odd, rule_kind::cut}) {
        for (const auto rbp : {saved_rbp::unchanged, saved_rbp::below_cfa, saved_rbp::by_frame_pointer}) {
            CHECK(rule::make(kind, 64, rbp, -16).is_plain() ==
                  (kind == rule_kind::stack_pointer && rbp != saved_rbp::by_frame_pointer));
        }
    }
}

TEST_CASE("what does not fit is odd") {
    CHECK(rule::make(rule_kind::stack_pointer, 12, saved_rbp::unchanged, 0).kind() == rule_kind::odd);
    CHECK(rule::make(rule_kind::stack_pointer, 1 << 20, saved_rbp::unchanged, 0).kind() == rule_kind::odd);
    CHECK(rule::make(rule_kind::stack_pointer, 16, saved_rbp::below_cfa, -4096).kind() == rule_kind::odd);
}

TEST_CASE("the table finds what it holds and nothing else") {
    auto table = std::make_unique<rule_table>();
    const auto rule_for = [](std::uintptr_t address) {
        return rule::make(rule_kind::stack_pointer, static_cast<std::int64_t>(address % 4000) * 8 + 8,
                          saved_rbp::unchanged, 0);
    };
    constexpr std::uintptr_t base = 0x7f00'1234'5000;
    unsigned found = 0;
    constexpr unsigned count = 200'000; // three times what there is room for
    for (std::uintptr_t i = 0; i != count; ++i) {
        table->insert(base + i * 5, rule_for(base + i * 5));
    }
    for (std::uintptr_t address = base; address != base + count * 5; ++address) {
        const rule value = table->find(address);
        if (value.kind() != rule_kind::none) {
            ++found;
            REQUIRE((address - base) % 5 == 0);
            REQUIRE(value == rule_for(address));
        }
    }
    CHECK(found > 40'000);
    table->clear();
    CHECK(table->find(base).kind() == rule_kind::none);
}

TEST_CASE("an address of more than 48 bits is not kept") {
    auto table = std::make_unique<rule_table>();
    const std::uintptr_t address = (std::uintptr_t{1} << 50) + 0x1234;
    table->insert(address, rule{rule_kind::end});
    CHECK(table->find(address).kind() == rule_kind::none);
    CHECK(table->find(0x1234).kind() == rule_kind::none);
}

TEST_CASE("threads that overwrite each other's entries read no mixture") {
    auto table = std::make_unique<rule_table>();
    std::atomic<bool> wrong{false};
    std::vector<std::thread> threads;
    for (unsigned number = 0; number != 4; ++number) {
        threads.emplace_back([&, number] {
            for (std::uintptr_t i = 0; i != 100'000; ++i) {
                const std::uintptr_t address = 0x5555'0000'0000 + (i * 7919 + number * 31) % 500'000;
                const rule expected =
                    rule::make(rule_kind::frame_pointer, static_cast<std::int64_t>(address % 60'000) * 8,
                               saved_rbp::below_cfa, static_cast<std::int64_t>(address % 200) * -8);
                const rule value = table->find(address);
                if (value.kind() != rule_kind::none && value != expected) {
                    wrong = true;
                }
                table->insert(address, expected);
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    CHECK_FALSE(wrong);
}
