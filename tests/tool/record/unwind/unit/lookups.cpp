// SPDX-License-Identifier: Apache-2.0
// What a walk looks up. The program of an entry gives the row that DWARF says, and a row becomes a rule where the fast walker can use
// it. The cache finds no stack that it should not. What cannot be read is known before it is read. That the entry of an address is
// found, the programs of compilers, and that everything which a cached walk depended on is as it was: tool.unwind.torture.
#include "record/preload/unwind/capture.hpp"
#include "record/preload/unwind/cfi.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

using namespace linn::tool::unwind;

namespace {

using bytes = std::vector<unsigned char>;

constexpr std::uintptr_t code = 0x10'0000;

recovery in_frame(std::int64_t offset) {
    return {recovery::base::cfa, true, offset};
}

/// The row at `at` bytes into a function with this program.
struct compiled {
    bytes common{0x0c, 7, 8, 0x90, 1}; ///< CFA = rsp + 8, return address below it
    bytes own;
    frame_entry entry;
    unwind_row row;
    bool understood;

    compiled(const bytes& program, std::uintptr_t at, bool is_signal_frame = false) : own(program) {
        entry.begin = code;
        entry.end = code + 0x1000;
        entry.common_program = {common.data(), common.data() + common.size()};
        entry.program = {own.data(), own.data() + own.size()};
        entry.data_factor = -8;
        entry.return_column = dwarf_return;
        entry.signal_frame = is_signal_frame;
        understood = find_row(entry, code + at, row);
    }
    rule as_rule() const { return to_rule(entry, row); }
};

} // namespace

TEST_CASE("advances of every size") {
    // 1, 2 and 4 bytes of distance
    const bytes program = {0x02, 0x10, 0x0e, 16,   0x03, 0x00, 0x02, 0x0e,
                           24,   0x04, 0x00, 0x05, 0,    0,    0x0e, 32};
    CHECK(compiled(program, 0x10).row.cfa.offset == 8);
    CHECK(compiled(program, 0x11).row.cfa.offset == 16);
    CHECK(compiled(program, 0x211).row.cfa.offset == 24);
    CHECK(compiled(program, 0x711).row.cfa.offset == 32);
}

TEST_CASE("rows that a walk cannot follow") {
    const auto is_cut = [](const bytes& program) {
        return compiled(program, 1).as_rule().kind() == rule_kind::cut;
    };
    CHECK(is_cut({0x0d, 3}));                      // CFA by rbx
    CHECK(is_cut({0x0f, 4, 0x77, 8, 0x06, 0x06})); // a word too far
    CHECK(is_cut({0x0f, 3, 0x77, 8, 0x06}));       // the CFA is the word at rsp + 8
    CHECK(is_cut({0x16, 7, 2, 0x77, 0}));          // rsp by expression
    CHECK(is_cut({0x09, 6, 0}));                   // rbp in rax
    CHECK(is_cut({0x16, 6, 2, 0x77, 0}));          // rbp is rsp
    CHECK(is_cut({0x08, 16}));                     // the return address is where it was
    CHECK(is_cut({0x90, 2}));                      // the return address elsewhere
    CHECK(is_cut({0x0e, 0x80, 0x80, 0x80, 1}));    // 2 MiB
}

TEST_CASE("an undefined return address is the end, and so is a signal's frame") {
    CHECK(compiled({0x07, 16}, 1).as_rule().kind() == rule_kind::end);
    CHECK(compiled({}, 1, true).as_rule().kind() == rule_kind::end);
}

TEST_CASE("what needs nothing is passed over") {
    // GNU_args_size, nop, a register that no walk needs in another one, offset of an xmm register
    const compiled there({0x2e, 0x90, 1, 0x00, 0x09, 12, 3, 0x11, 20, 5, 0x11, 6, 0x7e, 0x0e, 40}, 1);
    CHECK(there.understood);
    CHECK(there.row.cfa.offset == 40);
    CHECK(there.row.frame_pointer == in_frame(16));
}

TEST_CASE("an instruction of no known meaning is not guessed at") {
    CHECK_FALSE(compiled({0x3f}, 1).understood);
    CHECK_FALSE(compiled({0x0b}, 1).understood); // restores what was not remembered
}

TEST_CASE("random programs end, and read only themselves") {
    std::mt19937 random(5);
    for (int i = 0; i != 20'000; ++i) {
        bytes program(random() % 40);
        for (unsigned char& each : program) {
            each = static_cast<unsigned char>(random());
        }
        const compiled there(program, 1 + random() % 0x1000);
        if (there.understood) {
            there.as_rule();
        }
    }
}

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
    void add(std::uint32_t id) { cache->add(start, found, id); }
};

} // namespace

TEST_CASE_FIXTURE(fixture, "an entry that was used again is another stack") {
    add(7);
    for (std::uint32_t i = 0; i != 40'000; ++i) { // every entry is used many times over
        cache->add({0x9999 + i, start.stack_pointer, 0}, found, 8);
    }
    CHECK(cache->find(start) == 0);
    for (std::uint32_t i = 0; i != 40'000; ++i) {
        const std::uint32_t id = cache->find({0x9999 + i, start.stack_pointer, 0});
        REQUIRE((id == 0 || id == 8));
    }
}

TEST_CASE_FIXTURE(fixture, "cleared, it knows nothing and goes on") {
    add(42);
    cache->clear();
    CHECK(cache->find(start) == 0);
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

namespace {

constexpr std::uintptr_t page = 4096;

struct pages {
    std::uintptr_t at;
    std::size_t count;
    explicit pages(std::size_t n)
        : at(reinterpret_cast<std::uintptr_t>(
              mmap(nullptr, n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))),
          count(n) {}
    pages(const pages&) = delete;
    pages& operator=(const pages&) = delete;
    ~pages() { munmap(reinterpret_cast<void*>(at), count * page); }
    void forbid(std::size_t index) const {
        mprotect(reinterpret_cast<void*>(at + index * page), page, PROT_NONE);
    }
};

} // namespace

TEST_CASE("a probe tells") {
    const pages space(2);
    space.forbid(1);
    CHECK(probe_word(space.at));
    CHECK(probe_word(space.at + page - 8));
    CHECK_FALSE(probe_word(space.at + page));
    CHECK_FALSE(probe_word(0));
    CHECK_FALSE(probe_word(~std::uintptr_t{7}));
}

TEST_CASE("a range grows over what can be read, and never over a guard page") {
    const pages space(12);
    space.forbid(6);
    std::atomic<std::uint64_t> word{0};
    readable_pages known{word};
    CHECK(known.word(space.at + 2 * page));
    CHECK(known.word(space.at + 5 * page + 8));
    CHECK_FALSE(known.word(space.at + 6 * page));
    CHECK(known.word(space.at + 8 * page)); // a range of its own
    CHECK_FALSE(known.word(space.at + 6 * page + 16));
    CHECK(known.word(space.at + 11 * page));
    CHECK(known.word(space.at)); // back again
    CHECK_FALSE(known.word(space.at + 6 * page));
    CHECK_FALSE(known.word(16));
    const std::uint64_t learned = word;
    CHECK(learned != 0);
    readable_pages again{word};
    CHECK(again.word(space.at + 8));
    CHECK(word == learned); // it was known, and not asked for again
    CHECK_FALSE(again.word(space.at + 6 * page));
}
