// SPDX-License-Identifier: Apache-2.0
// Counts agree with their nouns and verbs, and a negative saving is called a cost: "1 more findings" and "save -0.3 %" are no
// English.
#include "measure/quantity.hpp"

#include <doctest/doctest.h>

namespace linn::tool::figures_tests {

using namespace figures;

TEST_CASE("a counted noun has the number of its count") {
    CHECK(counted(0, "round") == "0 rounds");
    CHECK(counted(1, "round") == "1 round");
    CHECK(counted(2, "more finding") == "2 more findings");
    CHECK(counted(1, "process") == "1 process");
    CHECK(counted(3, "process") == "3 processes");
    CHECK(counted(2, "entry") == "2 entries");
    CHECK(counted(2, "key") == "2 keys");
    CHECK(counted(1, "event was", "events were") == "1 event was");
    CHECK(counted(2, "event was", "events were") == "2 events were");
    CHECK(bytes_text(1) == "1 byte");
    CHECK(agreeing(1, "is", "are") == "is");
    CHECK(agreeing(0, "is", "are") == "are");
}

TEST_CASE("a count that is rounded agrees with what is written") {
    const auto about = [](double value) {
        return counted(figure_of(unit::about, value), lettering::plain, "block");
    };
    CHECK(about(0.9) == "1 block");
    CHECK(about(12'345) == "12.3 k blocks");
}

TEST_CASE("what saves less than nothing costs") {
    CHECK(saving_text(subject::many, {0.119, 0.112, 0.126}) == "save 11.9 % (11.2 to 12.6)");
    CHECK(saving_text(subject::one, {-0.003, -0.01, 0.004}) == "costs 0.3 % (-0.4 to 1.0)");
    CHECK(saving_text(subject::one, {-0.02, unknown_bound, unknown_bound}) == "costs 2.0 %");
    CHECK(saving_text(subject::many, {-0.0001, -0.01, 0.01}) == "save 0.0 % (-1.0 to 1.0)");
}

} // namespace linn::tool::figures_tests
