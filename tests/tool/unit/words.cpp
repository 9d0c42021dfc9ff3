// SPDX-License-Identifier: Apache-2.0
// Each enumerator has its word: a list that is one too short or too long does not compile.
#include "measure/words.hpp"

#include "unit.hpp"

namespace linn::tool::words_tests {

enum class fruit { apple, pear, plum2 };

namespace {
enum class hidden : unsigned char { one, two };
} // namespace

static_assert(has_enumerators<fruit, 3> && !has_enumerators<fruit, 2> && !has_enumerators<fruit, 4>);
static_assert(has_enumerators<hidden, 2> && !has_enumerators<hidden, 1> && !has_enumerators<hidden, 3>);

TEST_CASE("an enumerator has its word, and what is none is unknown") {
    const auto word = [](fruit f) { return std::string{word_of(f, {"apple", "pear", "plum"})}; };
    CHECK(word(fruit::apple) == "apple");
    CHECK(word(fruit::plum2) == "plum");
    CHECK(word(static_cast<fruit>(3)) == "unknown");
}

} // namespace linn::tool::words_tests
