// SPDX-License-Identifier: Apache-2.0
// Every form of a report says the same: results at every edge of the rules (equal, just above and below a threshold, too few
// rounds, no control, a failure), read back from the table, Markdown, HTML, JSON and CSV. A verdict that two places decide for
// themselves fails here.
#include "../support/flat_text.hpp"
#include "bench/bench.hpp"
#include "fake_bench.hpp"
#include "made_result.hpp"
#include "measure/statistics.hpp"
#include "report/commands/reports.hpp"
#include "report/document/document.hpp"
#include "report/render/render.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool::one_answer_tests {

using linn::tool::testing::contains;
using linn::tool::testing::count;
using linn::tool::testing::flat;
using linn::tool::testing::made_result;
using linn::tool::testing::made_row;
using nlohmann::json;
using report::markdown_text;

/// Outcomes of the phases of one comparison, as the JSON has them.
struct outcomes {
    std::size_t wins = 0;
    std::size_t losses = 0;
    std::size_t ties = 0;
    std::size_t not_judged = 0;

    void add(const json& phases) {
        for (const auto& [name, phase] : phases.items()) {
            const json& o = phase.at("outcome");
            wins += o == "win" ? 1U : 0U;
            losses += o == "loss" ? 1U : 0U;
            ties += o == "tie" ? 1U : 0U;
            not_judged += o.is_null() ? 1U : 0U;
        }
    }
    std::size_t judged() const { return wins + losses + ties; }
};

/// The verdict of the headline counts what the JSON has as outcomes, and the table shows as many of each.
void check_headline(const bench_result& result, const json& j, const std::string& table) {
    const std::optional<headline_result>& h = result.said.headline;
    CHECK(j.at("headline").is_null() == !h);
    CHECK(j.at("trust").is_null() == !h);
    if (!h) {
        return;
    }
    outcomes all;
    for (const json& s : j.at("scenarios")) {
        if (s.at("name") == headline_name) {
            all.add(s.at("comparisons")[0].at("phases"));
        }
    }
    CHECK(h->wins == all.wins);
    CHECK(h->losses == all.losses);
    CHECK(h->ties == all.ties);
    CHECK(count(table, "SLOWER") == all.losses);
    CHECK(j.at("trust").at("level") == (h->is_trusted ? "good" : "low"));
}

void check_bench(const bench_result& result, bool is_enough) {
    const json j = json::parse(report::bench_json(result).dump());
    const std::vector<std::string> said = result.said.sentences();
    const report::document d = report::bench_document(result);
    const std::string table = flat(report::render_terminal(d, {100, false}));
    const std::string page = report::render_html(d);
    const std::string markdown = report::render_markdown(d);
    CHECK(j.at("findings") == json(said));
    std::vector<std::string> sentences = said;
    if (const auto& h = result.said.headline) { // whose verdict stands on lines of their own
        sentences.erase(sentences.begin());
        sentences.insert(sentences.end(), h->verdict.begin(), h->verdict.end());
    }
    for (const std::string& sentence : sentences) {
        CAPTURE(sentence);
        CHECK(contains(table, flat(sentence)));
        CHECK(contains(markdown, markdown_text(sentence)));
        CHECK(contains(page, html::escape(sentence)));
    }
    for (const json& s : j.at("scenarios")) {
        for (const json& comparison : s.at("comparisons")) {
            outcomes one;
            one.add(comparison.at("phases"));
            CHECK((is_enough ? one.not_judged : one.judged()) == 0);
        }
    }
    check_headline(result, j, table);
}

/// One way of Linn's, at that ratio to the best rival.
void bench_at(double ratio, double control_gap, std::size_t rounds, std::string_view other_scenario) {
    fake_bench run;
    const auto fill = [&](std::string_view name, double linn) {
        scenario_result& s = run.add_scenario(name);
        const std::string_view general = s.what->baseline;
        run.add(s, baseline_name, general, 300);
        if (control_gap >= 0) {
            run.add(s, control_name, general, 300 * (1 + control_gap));
        }
        run.add(s, "fast", general, 100);
        run.add(s, linn_name, s.what->comparisons.front().ours, linn);
    };
    fill("containers", 100 * ratio);
    if (!other_scenario.empty()) {
        fill(other_scenario, other_scenario == headline_name ? 100 * ratio : 10);
    }
    for (scenario_result& s : run.result.scenarios) {
        for (row& r : s.rows) {
            r.samples.resize(rounds, r.samples.front());
        }
    }
    run.result.complete_rounds = rounds;
    run.result.seconds = 60;
    check_bench(run.judged(), rounds >= rounds_to_judge);
}

run_result run_at(const std::vector<double>& wall, const std::vector<double>& cpu, double wall_noise,
                  std::size_t rounds) {
    std::vector<made_row> rivals;
    for (std::size_t i = 0; i != wall.size(); ++i) {
        rivals.push_back({fmt::format("rival{}", i), wall[i], cpu[i]});
    }
    run_result result = made_result(rivals, rounds, wall_noise);
    describe_run(result);
    return result;
}

void check_run(const run_result& result, std::size_t rivals) {
    const json j = json::parse(report::run_fields(result).dump());
    CAPTURE(result.verdict);
    CHECK(j.at("verdict") == result.verdict);
    const report::document d = report::run_document(result);
    const std::string table = report::render_terminal(d, {120, false});
    const std::string page = report::render_html(d);
    const std::string csv = report::render_csv(d);
    CHECK(flat(table).starts_with(flat(result.verdict)));
    CHECK(contains(page, result.rows.empty() ? "" : ">Other metrics</h2>")); // than the one that is judged
    CHECK(report::render_markdown(d).starts_with("**" + markdown_text(result.verdict) + "**"));
    CHECK(contains(page, html::escape(result.verdict)));
    std::size_t better = 0;
    std::size_t worse = 0;
    for (const json& row : j.at("rows")) {
        const std::string name = row.at("name");
        if (!name.starts_with("rival")) {
            continue;
        }
        const json& call = row.at("estimates").at(result.judged_by).at("call");
        better += call == "better" ? 1U : 0U;
        worse += call == "worse" ? 1U : 0U;
        CHECK(contains(csv,
                       fmt::format("{0},{0},{1},ns,{2},", name, result.judged_by, result.complete_rounds)));
    }
    CHECK(j.at("judged_by") == result.judged_by);
    if (result.complete_rounds < least_rounds_to_claim(rivals, 0.95)) {
        CHECK(better + worse == 0);
    }
    // The column of verdicts has the words of the metric that judged.
    const bool is_cpu = result.judged_by == cpu_metric;
    CHECK(count(table, is_cpu ? "  less " : "  faster ") == better);
    CHECK(count(table, is_cpu ? "  more " : "  slower ") == worse);
    CHECK_FALSE(contains(table, "nan"));
    CHECK_FALSE(contains(page, "nan"));
    CHECK_FALSE(contains(csv, "nan"));
}

TEST_CASE("linn bench: headline, summary, findings and every form of them come from one judgement") {
    for (const double ratio : {0.4, 1 / 1.0201, 1 / 1.02, 1.0, 1.02, 1.0201, 2.5}) {
        for (const double gap : {-1.0, 0.0, 0.1}) {
            for (const std::size_t rounds : {1U, 5U, 6U}) {
                CAPTURE(ratio);
                CAPTURE(gap);
                CAPTURE(rounds);
                bench_at(ratio, gap, rounds, {});
                bench_at(ratio, gap, rounds, "pipeline");
                bench_at(ratio, gap, rounds, "sizes");
                bench_at(ratio, gap, rounds, "headline");
            }
        }
    }
}

TEST_CASE("linn run: the sentence, the column of verdicts and every form of them come from one judgement") {
    const std::vector<std::vector<double>> cases{{1.0},       {0.9},       {1.1},
                                                 {0.95, 1.2}, {1.02, 1.3}, {0.5, 0.9, 2.0}};
    for (const std::vector<double>& ratios : cases) {
        for (const double noise : {0.0005, 0.08}) {
            for (const std::size_t rounds : {1U, 5U, 6U, 8U}) {
                CAPTURE(noise);
                CAPTURE(rounds);
                CAPTURE(ratios.size());
                check_run(run_at(ratios, ratios, noise, rounds), ratios.size());
                check_run(run_at(ratios, std::vector<double>(ratios.size(), 1.0), noise, rounds),
                          ratios.size());
                check_run(run_at(std::vector<double>(ratios.size(), 1.0), ratios, noise, rounds),
                          ratios.size());
            }
        }
    }
}

} // namespace linn::tool::one_answer_tests
