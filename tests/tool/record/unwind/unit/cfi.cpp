// SPDX-License-Identifier: Apache-2.0
// The entry of an address is found; its program gives the row that DWARF says; a row becomes a rule where the fast walker can
// use it. The programs of compilers: tool.unwind.torture.
#include "record/preload/unwind/cfi.hpp"

#include "frame_info.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace linn::tool::unwind;

namespace {

constexpr std::uint32_t code = 0x10'0000;

recovery in_frame(std::int64_t offset) {
    return {recovery::base::cfa, true, offset};
}

/// The row at `at` bytes into a function with this program.
struct compiled {
    frame_info info;
    frame_entry entry;
    unwind_row row;
    bool understood;

    compiled(const frame_info::bytes& program, std::uintptr_t at, const char* letters = "zR")
        : info({{code, 0x1000, program}}, letters) {
        REQUIRE(find_entry_in(info.header(), info.code(code) + at - 1, entry));
        understood = find_row(entry, info.code(code) + at, row);
    }
    rule as_rule() const { return to_rule(entry, row); }
};

} // namespace

TEST_CASE("the entry of an address") {
    std::vector<frame_info::function> functions;
    for (std::uint32_t i = 0; i != 101; ++i) {
        functions.push_back({code + i * 0x100, 0x80, {0x0e, static_cast<unsigned char>(16 + 8 * (i % 10))}});
    }
    const frame_info info(functions);
    frame_entry entry;
    for (std::uint32_t i = 0; i != functions.size(); ++i) {
        for (const std::uint32_t within : {0u, 1u, 0x7fu}) {
            REQUIRE(find_entry_in(info.header(), info.code(functions[i].offset + within), entry));
            CHECK(entry.begin == info.code(functions[i].offset));
            CHECK(entry.end == info.code(functions[i].offset + 0x80));
        }
        CHECK_FALSE(find_entry_in(info.header(), info.code(functions[i].offset + 0x80), entry));
    }
    CHECK_FALSE(find_entry_in(info.header(), info.code(code - 1), entry));
    CHECK_FALSE(find_entry_in(info.header(), 0x10, entry));
}

TEST_CASE("advances of every size") {
    // 1, 2 and 4 bytes of distance
    const frame_info::bytes program = {0x02, 0x10, 0x0e, 16,   0x03, 0x00, 0x02, 0x0e,
                                       24,   0x04, 0x00, 0x05, 0,    0,    0x0e, 32};
    CHECK(compiled(program, 0x10).row.cfa.offset == 8);
    CHECK(compiled(program, 0x11).row.cfa.offset == 16);
    CHECK(compiled(program, 0x211).row.cfa.offset == 24);
    CHECK(compiled(program, 0x711).row.cfa.offset == 32);
}

TEST_CASE("rows that a walk cannot follow") {
    const auto is_cut = [](const frame_info::bytes& program) {
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
    CHECK(compiled({}, 1, "zRS").as_rule().kind() == rule_kind::end);
}

TEST_CASE("what needs nothing is passed over") {
    // GNU_args_size, nop, negative offset, val_offset of a register that nobody needs, offset of an xmm register
    const compiled there({0x2e, 0x90, 1, 0x00, 0x2f, 6, 2, 0x14, 12, 1, 0x05, 20, 5, 0x0e, 40}, 1);
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
        frame_info::bytes program(random() % 40);
        for (unsigned char& each : program) {
            each = static_cast<unsigned char>(random());
        }
        const compiled there(program, 1 + random() % 0x1000);
        if (there.understood) {
            there.as_rule();
        }
    }
}
