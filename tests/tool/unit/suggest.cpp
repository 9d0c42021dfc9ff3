// SPDX-License-Identifier: Apache-2.0
#include "measure/suggest.hpp"

#include "unit.hpp"

namespace linn::tool::suggest_tests {

TEST_CASE("the distance counts letters") {
    CHECK(edit_distance("", "abc") == 3);
    CHECK(edit_distance("kitten", "sitting") == 3);
    CHECK(edit_distance("same", "same") == 0);
}

TEST_CASE("a near word is suggested, a far one is not") {
    const std::vector<std::string> words{"object", "containers"};
    CHECK(suggest("objects", words) == "object");
    CHECK(suggest("cont", words) == "containers");
    CHECK(suggest("nosuch", words).empty());
    CHECK(suggest("", words).empty());
}

} // namespace linn::tool::suggest_tests
