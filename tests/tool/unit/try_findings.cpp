// SPDX-License-Identifier: Apache-2.0
// What `linn try` says of what it measured: results at every edge of the judgement, read back from each form of the report.
#include "../support/flat_text.hpp"
#include "advise/verdict.hpp"
#include "report/commands/reports.hpp"
#include "report/render/render.hpp"
#include "run/judge.hpp"
#include "simulated_machine.hpp"
#include "trace_of_types.hpp"
#include "try/trial.hpp"
#include "unit.hpp"

#include <nlohmann/json.hpp>

namespace linn::tool::try_findings_tests {

using linn::tool::testing::contains;
using linn::tool::testing::flat;
using linn::tool::testing::noise_source;
using nlohmann::json;

const std::vector<std::string> command{"./shop", "7"};

try_candidate candidate(const std::string& label, std::uint64_t offset) {
    try_candidate c = testing::made_candidate(label, 48, offset);
    c.share = 0.5;
    return c;
}

using ratios = std::vector<std::pair<std::string, double>>;

run_result run_of(const ratios& rows, std::size_t rounds, double sigma) {
    run_result run;
    run.complete_rounds = rounds;
    run.measured_seconds = 1;
    run.options.seed = 7;
    noise_source noise{3};
    ratios all{{default_name, 1}, {default_again_name, 1}};
    all.insert(all.end(), rows.begin(), rows.end());
    for (const auto& [name, ratio] : all) {
        run_row& row = run.rows.emplace_back();
        row.contender.name = row.contender.title = name;
        for (std::size_t round = 0; round != rounds; ++round) {
            run_sample s;
            s.round = round;
            s.values = {{cpu_metric, 2e8 * ratio * std::exp(sigma * noise.normal())},
                        {"peak_rss_bytes", name == "types" ? 10.3 * 1024 * 1024 : 10.0 * 1024 * 1024}};
            row.samples.push_back(s);
        }
    }
    judge(run);
    return run;
}

/// Two types, and what all their pools save.
try_result measured(double gain, std::size_t rounds = 20, double sigma = 0.002) {
    try_result result;
    result.candidates.list = {candidate("order", 0x1000), candidate("trade", 0x2000)};
    result.candidates.modules = {{"shop", {1, 2}}};
    result.hits = {1000, 500};
    result.arms = {arm_of_types(result.candidates, {0, 1}), arm_by_size(result.candidates, {0, 1}),
                   arm_of_every_block()};
    result.deciding = run_of({{"types", 1 - gain},
                              {"by-size", 1 - gain},
                              {"every", 1 - gain},
                              {"empty", 1.01},
                              {"jemalloc", 0.93}},
                             rounds, sigma);
    judge_trial(result);
    return result;
}

void explain(try_result& result, const ratios& rows) {
    const try_arm& all = *result.find_arm(result.judged.pools->name);
    result.parts = arms_of_parts(result.candidates, all, 6);
    result.explaining = run_of(rows, 20, 0.002);
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
                const json all = json::parse(report::try_json(result, command));
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
    result.deciding = run_of({{"types", 0.9}, {"uneven", 0.88}, {"jemalloc", 0.96}}, 20, 0.002);
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
}

TEST_CASE("what does not work, and what cannot be tried, is said") {
    try_result broken;
    broken.candidates.left_out = {
        {"order", "with its pool the program does not work: killed by SIGABRT", 0.5, {}}};
    broken.why_broken = "killed by SIGABRT";
    judge_trial(broken);
    CHECK(broken.judged.answer == pool_answer::not_known);
    CHECK(contains(report::try_verdict(broken), "killed by SIGABRT"));

    try_result unlike = measured(0.1);
    for (run_row& row : unlike.deciding.rows) {
        if (row.contender.name == "types" || row.contender.name == "by-size" ||
            row.contender.name == "every") {
            row.output_difference = "line 1 is 'b', not 'a'";
        }
    }
    judge_trial(unlike);
    CHECK(unlike.judged.open == open_question::does_not_work);
    CHECK(contains(report::try_verdict(unlike), "line 1 is 'b'"));
    CHECK(unlike.plan.sites.empty());

    try_result stopped = measured(0.1);
    stopped.deciding.rows.clear();
    stopped.interrupted_by = 2;
    judge_trial(stopped);
    CHECK(stopped.judged.answer == pool_answer::not_known);
    CHECK(stopped.judged.open == open_question::none);
    CHECK(report::try_verdict(stopped).empty());

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

TEST_CASE("linn.try/2 holds the run of linn.run/1") {
    try_result result = measured(0.119);
    result.candidates.left_out = {{"te|xt", "its blocks have many sizes", 0.2, {}}};
    const json all = json::parse(report::try_json(result, command));
    CHECK(all["deciding"]["schema"] == "linn.run/1");
    CHECK(all["explaining"].is_null());

    const report::document d = report::try_document(result, command);
    const std::string plain = report::render_terminal(d, {});
    CHECK(contains(plain, "75.0 %")); // served, of both together
    CHECK(contains(flat(plain), "left out: te|xt (20.0 % of allocations): its blocks have many sizes"));
    CHECK(contains(report::render_markdown(d), "left out: te\\|xt"));
}

} // namespace linn::tool::try_findings_tests
