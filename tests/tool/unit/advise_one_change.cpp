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

/// Three types of the document and one that is not of it, of sizes of their own.
struct shop : program {
    shop() {
        churn(40'000, 32, 100);
        churn(30'000, 80, 100);
        churn(10'000, 48, 100);
        churn(5'000, 64, 100);
    }
};

advise_parts shop_parts() {
    advise_parts parts = parts_for({"shop::text", "shop::entry", "shop::table", "shop::order"});
    parts.names.name = [names = parts.names.name](const allocation_site& site) {
        named_type named = names(site);
        if (named.type != "shop::order") {
            named.takes_allocator = taker;
        }
        named.declared = {"/home/me/app.cpp", 7};
        return named;
    };
    return parts;
}

/// A replay in which the document saves so much as one, and the order nothing.
advise_parts replaying(double low, double high, std::vector<replay_group>& asked) {
    advise_parts parts = shop_parts();
    parts.replay = [&asked, low, high](const replay_options& wanted) {
        replay_result result;
        result.rows = {row_of(default_name, 0, 0), row_of(null_name, -0.31, -0.3)};
        for (const replay_group& group : wanted.groups) {
            asked.push_back(group);
            const bool is_document = group.name == "the allocator of shop::document";
            result.groups.push_back(is_document ? row_of(group.name, -high, -low)
                                                : row_of(group.name, -0.001, 0.001));
        }
        result.together = row_of("all", -high, -low);
        result.complete_rounds = 11;
        result.measured_seconds = 1;
        return result;
    };
    return parts;
}

TEST_CASE("the types of one alias are replayed together, and the first has the gain of all") {
    shop p;
    std::vector<replay_group> asked;
    const advice a = advise(p.analyse(20e6), {}, replaying(0.1, 0.12, asked));
    REQUIRE(!asked.empty());
    CHECK(asked[0].name == "the allocator of shop::document");
    CHECK(asked[0].stacks == std::vector<std::uint32_t>{1, 2, 3});
    CHECK(std::count_if(asked.begin(), asked.end(),
                        [](const replay_group& g) { return g.stacks.size() > 1; }) == 1);

    const advised_type& first = type_of(a, "shop::text");
    CHECK(first.serves == 3);
    CHECK(first.is_gain_measured);
    CHECK(first.gain.low == doctest::Approx(0.1 / 1.15));
    CHECK(first.gain.high > 0.1);
    for (const char* other : {"shop::entry", "shop::table"}) {
        CHECK(type_of(a, other).served_with == "shop::text");
        CHECK(type_of(a, other).what == remedy::pool_allocator);
        CHECK(type_of(a, other).gain.high == 0);
    }
    CHECK(label_of(a.types[0]) == "shop::text");
    CHECK(label_of(a.types[1]) == "shop::entry");
    CHECK(label_of(a.types[2]) == "shop::table");
    CHECK(a.pools.high == doctest::Approx(first.gain.high)); // counted once

    CHECK(a.answer == pool_answer::yes);
    CHECK(a.verdict.find("start with the allocator of shop::document at app.cpp:50") != std::string::npos);
    const std::string table = flat(report::render_terminal(report::advise_document(a, {}), {100}));
    CHECK(table.find("shop::text and 2 more: use linn::allocator as argument of shop::document, 9") !=
          std::string::npos);
    CHECK(table.find("the gain is that of all of them, with shop::entry, shop::table.") != std::string::npos);
    CHECK(table.find("with above") != std::string::npos);
    CHECK(table.find("shop::entry: use") == std::string::npos);
    CHECK(flat(report::render_terminal(report::advise_document(a, {.top = 10, .only_type = "entry"}), {100}))
              .find("shop::entry: use linn::allocator as argument of shop::document, with shop::text") !=
          std::string::npos);
    CHECK(report::render_markdown(report::advise_document(a, {})).find("#### shop::entry") ==
          std::string::npos);
    const auto json = nlohmann::json::parse(advise_json(a));
    CHECK(json["types"][0]["served_with"].is_null());
    CHECK(json["types"][0]["gain"]["low"] == doctest::Approx(0.1 / 1.15));
    CHECK(json["types"][1]["served_with"] == "shop::text");
    CHECK(json["types"][1]["gain"].is_null());
    CHECK(report::render_csv(report::advise_document(a, {})).find(",yes,shop::text,,,,,,\r\n") !=
          std::string::npos);
}

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
        const advice a = advise(p.analyse(10e6), {}, parts); // without a replay
        return std::count_if(a.types.begin(), a.types.end(),
                             [](const advised_type& t) { return t.what != remedy::nothing; });
    };
    CHECK(advised() == 0);
    is_alias = true;
    CHECK(advised() == 6);
}

TEST_CASE("where the change gains nothing, no type of it is advised") {
    shop p;
    std::vector<replay_group> asked;
    const advice a = advise(p.analyse(20e6), {}, replaying(-0.001, 0.001, asked));
    for (const char* name : {"shop::text", "shop::entry", "shop::table"}) {
        CHECK(type_of(a, name).what == remedy::nothing);
        CHECK(type_of(a, name).served_with.empty());
        CHECK(type_of(a, name).rule == "no-gain");
    }
}

} // namespace linn::tool::advise_one_change_tests
