// SPDX-License-Identifier: Apache-2.0
// Promise: make_shared, make_unique and the probes of zero fill need neither exceptions nor RTTI.
#include "process.hpp"

#include <linn/memory.hpp>
#include <linn/zero_fill.hpp>

#include <memory>
#include <string>

namespace {

struct packet {
    char bytes[1500];
};
struct may_throw { // as far as the compiler knows
    may_throw() {}
    explicit may_throw(int n) : number{n} {}
    int number = 1;
};

} // namespace

int main() {
    CHECK(linn::make_shared<may_throw>(3)->number == 3);
    CHECK(linn::make_shared_for_overwrite<may_throw[4]>()[3].number == 1);
    CHECK(linn::make_shared<std::string[3]>("x")[2] == "x");
    CHECK(linn::make_shared<int[]>(5)[4] == 0);
    CHECK(linn::make_shared_for_overwrite<may_throw[]>(5)[4].number == 1);
    CHECK(linn::make_unique<may_throw>(4)->number == 4);
    CHECK(linn::make_unique_for_overwrite<may_throw>()->number == 1);
    CHECK(linn::make_unique<int[]>(5)[4] == 0);
    CHECK(linn::make_shared<packet>(linn::value_initialize)->bytes[1499] == 0);
    CHECK(linn::value_initialization_fill<packet>() == sizeof(packet));
}
