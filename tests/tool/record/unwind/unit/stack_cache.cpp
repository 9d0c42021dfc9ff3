// SPDX-License-Identifier: Apache-2.0
// What the cache may find, and when. That everything which the walk depended on is as it was: tool.unwind.torture.
#include "record/preload/unwind/stack_cache.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <vector>

using namespace linn::tool::unwind;

namespace {

struct destroyer {
    void operator()(stack_cache* cache) const { cache->destroy(); }
};

/// A cache, and a stack with one walk of it.
struct fixture {
    std::vector<std::uintptr_t> stack = std::vector<std::uintptr_t>(100, 0x4000);
    frame_start start{0x1234, reinterpret_cast<std::uintptr_t>(stack.data()), 0x7777};
    walk found;
    std::unique_ptr<stack_cache, destroyer> cache{stack_cache::create(16)};

    fixture() {
        found.used_frame_pointer = false;
        found.word_count = 0;
        note(3);
        note(10);
        note(5); // a saved register that was needed later
    }
    void note(std::uint64_t distance) {
        found.words[found.word_count++] = distance << stack_word::value_bits | stack[distance];
    }
    void add(std::uint32_t id) {
        const stack_cache::pending entry = cache->add(start, found);
        REQUIRE(entry.state != nullptr);
        stack_cache::confirm(entry, id);
    }
};

} // namespace

TEST_CASE_FIXTURE(fixture, "what was added and confirmed is found") {
    CHECK(cache->find(start) == 0);
    add(42);
    CHECK(cache->find(start) == 42);
    CHECK(cache->find({start.return_address + 1, start.stack_pointer, start.frame_pointer}) == 0);
    CHECK(cache->find({start.return_address, start.stack_pointer + 8, start.frame_pointer}) == 0);
}

TEST_CASE_FIXTURE(fixture, "an entry that was used again meanwhile is not confirmed") {
    const stack_cache::pending late = cache->add(start, found);
    for (std::uint32_t i = 0; i != 40'000; ++i) { // every entry is used many times over
        stack_cache::confirm(cache->add({0x9999 + i, start.stack_pointer, 0}, found), 8);
    }
    stack_cache::confirm(late, 7);
    CHECK(cache->find(start) == 0);
    for (std::uint32_t i = 0; i != 40'000; ++i) {
        const std::uint32_t id = cache->find({0x9999 + i, start.stack_pointer, 0});
        REQUIRE((id == 0 || id == 8));
    }
}

TEST_CASE_FIXTURE(fixture, "cleared, it knows nothing, confirms nothing and goes on") {
    add(42);
    const frame_start other{0x9999, start.stack_pointer, 0};
    const stack_cache::pending late = cache->add(other, found);
    cache->clear();
    CHECK(cache->find(start) == 0);
    stack_cache::confirm(late, 7);
    CHECK(cache->find(other) == 0);
    add(43);
    CHECK(cache->find(start) == 43);
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
