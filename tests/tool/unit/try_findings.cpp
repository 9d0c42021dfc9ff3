// SPDX-License-Identifier: Apache-2.0
// What `linn try` says of what it measured: results at every edge of the judgement, read back from each form of the report.
#include "../support/flat_text.hpp"
#include "advise/advice.hpp"
#include "made_result.hpp"
#include "report/commands/reports.hpp"
#include "report/render/render.hpp"
#include "trace_of_types.hpp"
#include "try/trial.hpp"
#include "unit.hpp"

#include <nlohmann/json.hpp>

namespace linn::tool::try_findings_tests {

using linn::tool::testing::contains;
using linn::tool::testing::flat;
using linn::tool::testing::made_result;
using linn::tool::testing::made_row;
using nlohmann::json;

const std::vector<std::string> command{"./shop", "7"};

try_candidate candidate(const std::string& label, std::uint64_t offset) {
    try_candidate c = testing::made_candidate(label, 48, offset);
    c.share = 0.5;
    return c;
}

/// Two types, and what all their pools save.
try_result measured(double gain, std::size_t rounds = 20, double sigma = 0.002) {
    try_result result;
    result.candidates.list = {candidate("order", 0x1000), candidate("trade", 0x2000)};
    result.candidates.modules = {{"shop", {1, 2}}};
    result.hits = {1000, 500};
    result.arms = {arm_of_types(result.candidates, {0, 1}), arm_by_size(result.candidates, {0, 1}),
                   arm_of_every_block()};
    result.deciding = made_result({{"types", 1 - gain},
                                   {"by-size", 1 - gain},
                                   {"every", 1 - gain},
                                   {"empty", 1.01},
                                   {"jemalloc", 0.93}},
                                  rounds, sigma, sigma);
    judge_trial(result);
    return result;
}

void explain(try_result& result, const std::vector<made_row>& rows) {
    const try_arm& all = *result.find_arm(result.judged.pools->name);
    result.parts = arms_of_parts(result.candidates, all, 6);
    result.explaining = made_result(rows, 20, 0.002, 0.002);
    judge_trial(result);
}

TEST_CASE("at every edge all forms of the report say the same, and no sentence contradicts another") {
    for (const double gain : {0.3, 0.0215, 0.02, 0.0185, 0.0, -0.03}) {
        for (const std::size_t rounds :
             {std::size_t{2}, std::size_t{5}, std::size_t{6}, std::size_t{12}, std::size_t{40}}) {
            for (const double sigma : {0.0005, 0.02, 0.2}) {
                CAPTURE(gain);
                CAPTURE(rounds);
                CAPTURE(sigma);
                try_result result = measured(gain, rounds, sigma);
                result.decision.rounds = 3; // as expected before the first round
                const std::string verdict = report::try_verdict(result);
                CAPTURE(verdict);
                const json all = json::parse(report::render_json(report::try_document(result, command)));
                const std::string answer = all["answer"];
                CHECK(all["verdict"] == verdict);
                CHECK(all["open"].is_null() == (answer != "not-known"));
                const json& saved = all["gain"];
                REQUIRE(saved["row"].is_string());
                CHECK(saved["low"].is_null() == (rounds < 6));
                if (answer == "yes") {
                    CHECK(saved["low"] >= all["threshold"]);
                    CHECK(result.cpu_of(result.judged.pools->name)->call == verdict::better);
                    CHECK_FALSE(all["plan"].is_null());
                } else if (answer == "no") {
                    CHECK(saved["high"] < all["threshold"]);
                } else {
                    const bool is_short = all["open"] == "too-few-rounds";
                    CHECK(is_short >= (rounds < 6));
                    if (!is_short) { // a sure gain would be a yes
                        CHECK(saved["low"] < all["threshold"]);
                    }
                }
                CHECK(all["plan"].is_null() == !result.judged.saves);
                CHECK(all["plan_row"].is_null() == all["plan"].is_null());

                const report::document d = report::try_document(result, command);
                std::string plain = flat(report::render_terminal(d, {}));
                CHECK(contains(plain, flat(verdict)));
                CHECK(contains(report::render_html(d), "class=\"lead\""));
                const std::string csv = report::render_csv(d);
                CHECK(contains(csv, saved["row"].get<std::string>() + ','));
                CHECK(contains(csv, "deciding,true"));
                for (const std::string& finding : report::try_findings(result)) {
                    CHECK(contains(plain, flat(finding)));
                }
            }
        }
    }
}

TEST_CASE("an allocator that certainly saves is named before one that may save more") {
    try_result result = measured(0.1);
    result.deciding = made_result({{"types", 0.9}, {"uneven", 0.88}, {"jemalloc", 0.96}}, 20, 0.002, 0.002);
    for (run_sample& s : result.deciding.rows[3].samples) {
        s.values[cpu_metric] *= s.round % 5 < 2 ? 1.2 : 1;
    }
    judge(result.deciding);
    judge_trial(result);
    CHECK(contains(report::try_verdict(result), "jemalloc saves 4"));
}

TEST_CASE(
    "parts, other forms and the pools over an allocator are explained by the rounds that measured them") {
    try_result result = measured(0.119);
    explain(result,
            {{"chosen", 0.88}, {"without-1", 0.96}, {"without-2", 0.88}, {"over", 0.85}, {"jemalloc", 0.93}});
    CHECK(result.judged.over_allocator->low > 0);
    CHECK_FALSE(result.judged.better);

    try_result better = measured(0.119);
    explain(better, {{"chosen", 0.88}, {"without-1", 0.8}, {"without-2", 0.88}});
    REQUIRE(better.judged.better);
    CHECK(better.plan_arm == "without-1");
    CHECK(better.judged.pools->name == "types"); // the answer was known before

    try_result only = measured(-0.03);
    explain(only, {{"chosen", 1.03}, {"without-1", 0.8}, {"without-2", 1.1}});
    CHECK(only.judged.answer == pool_answer::yes);
    CHECK(only.judged.is_of_better);
    CHECK(only.plan.sites.size() == 1);

    try_result worse = measured(0.119); // pools over an allocator that saves nothing
    worse.deciding = made_result({{"types", 0.88}, {"jemalloc", 1.0}}, 20, 0.002, 0.002);
    judge(worse.deciding);
    judge_trial(worse);
    explain(worse, {{"chosen", 0.88}, {"over", 1.05}, {"jemalloc", 1.0}});
    REQUIRE(worse.judged.over_allocator->high < 0);
    CHECK_FALSE(worse.judged.allocator_saves);
    for (const std::string& finding : report::try_findings(worse)) {
        CHECK_FALSE(contains(finding, "enough"));
    }
}

TEST_CASE("what cannot be tried, and events that are lost, leave the answer open") {
    try_result none;
    judge_trial(none);
    CHECK(none.judged.answer == pool_answer::no);
    none.candidates.left_out = {{"text", "its blocks have many sizes", 0.2, {}}};
    judge_trial(none);
    CHECK(none.judged.open == open_question::no_candidate);

    try_result lost = measured(0.0, 40, 0.0005);
    CHECK(lost.judged.answer == pool_answer::no);
    lost.candidates.lacks_events = true;
    judge_trial(lost);
    CHECK(lost.judged.answer == pool_answer::not_known);
    CHECK(lost.judged.open == open_question::incomplete_trace);
}

} // namespace linn::tool::try_findings_tests
