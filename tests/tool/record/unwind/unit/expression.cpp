// SPDX-License-Identifier: Apache-2.0
// DWARF expressions: what they compute, and that a bad one gives no result instead of a crash.
#include "record/preload/unwind/expression.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

using namespace linn::tool::unwind;

namespace {

bool run(const std::vector<unsigned char>& code, std::uintptr_t& result,
         const register_file& registers = {}) {
    std::atomic<std::uint64_t> range{0};
    readable_pages memory{range};
    return evaluate({code.data(), code.data() + code.size()}, registers, memory, nullptr, result);
}

std::uintptr_t value_of(const std::vector<unsigned char>& code, const register_file& registers = {}) {
    std::uintptr_t result = 0;
    REQUIRE(run(code, result, registers));
    return result;
}

} // namespace

TEST_CASE("arithmetic") {
    CHECK(value_of({0x35}) == 5);
    CHECK(value_of({0x08, 200}) == 200);
    CHECK(value_of({0x09, 0xff}) == ~std::uintptr_t{0});
    CHECK(value_of({0x10, 0x80, 0x01}) == 128);
    CHECK(value_of({0x11, 0x7f}) == ~std::uintptr_t{0});
    CHECK(value_of({0x35, 0x33, 0x1c}) == 2);
    CHECK(value_of({0x35, 0x33, 0x22}) == 8);
    CHECK(value_of({0x31, 0x33, 0x24}) == 8);
    CHECK(value_of({0x3b, 0x3b, 0x2a}) == 1);
    CHECK(value_of({0x3a, 0x3b, 0x2a}) == 0);
    CHECK(value_of({0x31, 0x32, 0x16, 0x1c}) == 1);
    CHECK(value_of({0x31, 0x32, 0x33, 0x17, 0x13}) == 1);
    CHECK(value_of({0x35, 0x23, 10}) == 15);
}

TEST_CASE("branches") {
    CHECK(value_of({0x31, 0x28, 1, 0, 0x32, 0x33}) == 3);
    CHECK(value_of({0x32, 0x2f, 1, 0, 0x35}) == 2);
    std::uintptr_t result;
    CHECK_FALSE(run({0x2f, 0xfd, 0xff}, result)); // for ever
    CHECK_FALSE(run({0x2f, 0x00, 0x40}, result)); // out of it
}

TEST_CASE("registers and memory") {
    const std::uintptr_t words[] = {0x1122334455667788, 7};
    register_file registers;
    registers.value[6] = reinterpret_cast<std::uintptr_t>(words);
    CHECK(value_of({0x76, 8, 0x06}, registers) == 7);
    CHECK(value_of({0x76, 2, 0x94, 2}, registers) == 0x5566);
    CHECK(value_of({0x92, 6, 0}, registers) == registers.value[6]);
    std::uintptr_t result;
    CHECK_FALSE(run({0x31, 0x06}, result)); // unreadable, and no fault
}

TEST_CASE("the CFA of a procedure linkage table") {
    // rsp + 8 + ((rip & 15) >= 11) * 8
    const std::vector<unsigned char> code = {0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22};
    register_file registers;
    registers.value[7] = 1000;
    registers.value[16] = 0x4010;
    CHECK(value_of(code, registers) == 1008);
    registers.value[16] = 0x401b;
    CHECK(value_of(code, registers) == 1016);
}

TEST_CASE("what it cannot do it does not") {
    std::uintptr_t result;
    CHECK_FALSE(run({}, result));
    CHECK_FALSE(run({0x22}, result));
    CHECK_FALSE(run({0x31, 0x30, 0x1b}, result));
    CHECK_FALSE(run({0xff}, result));
    CHECK_FALSE(run(std::vector<unsigned char>(100, 0x31), result));
}

TEST_CASE("random expressions end") {
    std::mt19937 random(5);
    for (int i = 0; i != 50'000; ++i) {
        std::vector<unsigned char> code(random() % 20);
        for (unsigned char& each : code) {
            each = static_cast<unsigned char>(random());
        }
        std::uintptr_t result;
        run(code, result);
    }
}
