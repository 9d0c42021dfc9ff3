// SPDX-License-Identifier: Apache-2.0
// One alias of a class template serves several types. Priced row by row, each of them was too little to be sure of, and the
// noise of each was added up; it is one change, so it is replayed as one and has one gain.
#include "../support/advised_program.hpp"
#include "../support/flat_text.hpp"
#include "advise/verdict.hpp"
#include "report/render/csv.hpp"
#include "report/render/markdown.hpp"
#include "report/render/terminal.hpp"
#include "report/verbs/advise_document.hpp"
#include "report/verbs/advise_json.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace linn::tool::advise_one_change_tests {

using namespace linn::tool::testing;

const char* const taker = "shop::document<std::map, std::allocator>";

TEST_CASE("types that are too rare alone are worth the change that serves all of them") {
    program p;
    std::vector<std::string> names;
    for (int i = 0; i != 6; ++i) {
        p.churn(1000, 32 + 16 * static_cast<std::uint64_t>(i), 10);
        names.push_back("shop::part" + std::to_string(i));
    }
    advise_parts parts = parts_for(names);
    bool is_alias = false;
    parts.names.name = [names = parts.names.name, &is_alias](const allocation_site& site) {
        named_type named = names(site);
        named.takes_allocator = is_alias ? taker : "";
        return named;
    };
    const auto advised = [&] {
        const advice a = advise(p.analyse(10e6), {}, parts);
        return std::count_if(a.types.begin(), a.types.end(),
                             [](const advised_type& t) { return t.what != remedy::nothing; });
    };
    CHECK(advised() == 0);
    is_alias = true;
    CHECK(advised() == 6);
}

} // namespace linn::tool::advise_one_change_tests
