// SPDX-License-Identifier: Apache-2.0
// Estimates, remarks, agreement with a run and reports, from made-up figures.
#include "replay/agreement.hpp"
#include "replay/estimates.hpp"
#include "report/render/csv.hpp"
#include "report/render/html.hpp"
#include "report/render/markdown.hpp"
#include "report/render/terminal.hpp"
#include "report/verbs/replay_document.hpp"
#include "report/verbs/replay_json.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <tuple>

namespace linn::tool::replay_results_tests {

/// Rounds around a centre, up to a share off, and each round slow or fast as a whole.
std::vector<double> around(double centre, std::uint64_t seed, double off = 0.005, std::size_t rounds = 11) {
    std::mt19937_64 random{seed};
    std::mt19937_64 shared{99};
    std::vector<double> values;
    for (std::size_t i = 0; i != rounds; ++i) {
        const double own = static_cast<double>(random() % 2001) / 1000 - 1;
        const double of_round = static_cast<double>(shared() % 2001) / 1000 - 1;
        values.push_back(centre * (1 + own * off) * (1 + of_round * 0.05));
    }
    return values;
}

replay_row row(const char* name, double seconds, std::uint64_t seed, double off = 0.005) {
    replay_row r;
    r.name = name;
    r.title = std::string{name} + " title";
    r.seconds = around(seconds, seed, off);
    r.peak_rss_bytes = 5 << 20;
    return r;
}

/// A program of 4 s, of which the default takes 1 s beyond what the loop costs.
replay_result made(double off = 0.005) {
    replay_result result;
    result.options.trace = "app.linn";
    result.command = {"./app", "1 2"};
    result.events = 10'000'000;
    result.allocations = 5'000'000;
    result.by_operator_new = 4'000'000;
    result.threads = 2;
    result.hand_overs = 77;
    result.machine.cpus = 1;
    result.complete_rounds = 11;
    result.program_cpu_seconds = 4;
    result.rows = {row("default", 1.2, 1, off), row("default-again", 1.2, 2, off), row("fast", 0.9, 3, off),
                   row("slow", 1.5, 4, off),    row("linn", 0.6, 5, off),          row("null", 0.2, 6, off)};
    result.options.groups = {{"Particle", {1}}};
    result.groups = {row("Particle", 1.0, 7, off)};
    trace_info info;
    info.event_cost_ns = 30;
    replay_circumstances c;
    c.info = &info;
    estimate_replay(result);
    remark_on_replay(result, c);
    return result;
}

std::vector<double> ratios(double centre, std::uint64_t seed, double off = 0.003) {
    return around(centre, seed, off);
}

std::string all(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) {
        text += line + '\n';
    }
    return text;
}

TEST_CASE("a row is compared with the default of the same round, and scaled to the program") {
    const replay_result result = made();
    const replay_row& fast = *result.find("fast");
    CHECK(fast.ratio == doctest::Approx(0.75).epsilon(0.01));
    CHECK(fast.ratio_low < fast.ratio);
    CHECK(fast.ratio_high > fast.ratio);
    CHECK(fast.ratio_high - fast.ratio_low < 0.02); // although rounds differ by 10 %
    CHECK(fast.change == doctest::Approx(-0.075).epsilon(0.03));
    CHECK(result.ceiling() == doctest::Approx(0.25).epsilon(0.03));
    CHECK(result.groups.front().change == doctest::Approx(-0.05).epsilon(0.05));
    CHECK(result.noise_floor > 0);
    CHECK(result.noise_floor < 0.02);
    CHECK(result.find("nobody") == nullptr);
}

TEST_CASE("the program's CPU time is the baseline, or the recorded one without what the recording cost") {
    trace_info info;
    info.user_ns = 2e9;
    info.system_ns = 1e9;
    info.events = 10'000'000;
    info.event_cost_ns = 100;
    CHECK(program_cpu_seconds(info, 1) == doctest::Approx(2.0));
    CHECK(program_cpu_seconds(info, 0.5) == doctest::Approx(1.0));
    info.baseline_cpu_ns = 1.5e9;
    CHECK(program_cpu_seconds(info, 1) == doctest::Approx(1.5));
    info.baseline_cpu_ns = 0;
    info.event_cost_ns = 299; // the rest is less than the error of the estimate
    CHECK(program_cpu_seconds(info, 1) == 0);
}

TEST_CASE("the verdict names the best, what it would save, and the ceiling") {
    CHECK(made().verdict.starts_with("linn title serves the recorded requests in 50 % less CPU time than the "
                                     "default, which would be 15 % less of the program's; an allocator that "
                                     "costs nothing would save 2"));
    replay_result level = made();
    level.rows = {row("default", 1.2, 1), row("default-again", 1.2, 2), row("other", 1.2, 3),
                  row("null", 0.2, 4)};
    estimate_replay(level);
    const trace_info info;
    replay_circumstances c;
    c.info = &info;
    remark_on_replay(level, c);
    CHECK(level.verdict.starts_with("No allocator serves the recorded requests measurably faster"));
    CHECK(level.rows[2].call == replay_call::tie);
    level.program_cpu_seconds = 0;
    estimate_replay(level);
    remark_on_replay(level, c);
    CHECK(level.verdict.find("costs nothing") == std::string::npos);
    CHECK(level.rows.back().change == 0);
    CHECK(all(level.warnings).find("--baseline") != std::string::npos);
}

TEST_CASE("what weakens a replay is said") {
    replay_result result = made();
    CHECK(all(result.remarks).find("50 to 130 %") != std::string::npos);
    CHECK(all(result.remarks).find("2 threads, 77 blocks handed over") != std::string::npos);
    CHECK(all(result.remarks).find("they share 1 CPU,") != std::string::npos);
    CHECK(all(result.remarks).find("80 % of the allocations") != std::string::npos);
    CHECK(all(result.remarks).find("Noise floor") != std::string::npos);
    CHECK(result.warnings.empty());
    trace_info info;
    info.clock = "every8";
    info.dropped = 3;
    replay_circumstances c;
    c.info = &info;
    c.is_cut = true;
    c.replayed_share = 0.25;
    c.process_share = 0.5;
    result.skipped = 100'000;
    result.hand_overs = 4'000'000;
    result.remarks.clear();
    remark_on_replay(result, c);
    CHECK(all(result.remarks).find("25 % of them all") != std::string::npos);
    CHECK(all(result.remarks).find("several process images") != std::string::npos);
    CHECK(all(result.warnings).find("--clock=every8") != std::string::npos);
    CHECK(all(result.warnings).find("100000 releases were left out") != std::string::npos);
    CHECK(all(result.warnings).find("lost 3 events") != std::string::npos);
    CHECK(all(result.warnings).find("80 % of the blocks are released by another thread") !=
          std::string::npos);
}

TEST_CASE("a replay that takes longer than the program predicts no more than all of it, and says so") {
    replay_result result = made();
    result.program_cpu_seconds = 0.5;
    const trace_info info;
    replay_circumstances c;
    c.info = &info;
    estimate_replay(result);
    remark_on_replay(result, c);
    CHECK(result.find("null")->change > -1);
    CHECK(all(result.warnings).find("took as long as the whole program") != std::string::npos);
}

TEST_CASE("the same order as the run's agrees, whatever the sizes of the gaps") {
    const replay_agreement a = compare_with_run(made(),
                                                {{"default", std::vector<double>(11, 1.0)},
                                                 {"fast", ratios(0.8, 21)},
                                                 {"slow", ratios(1.02, 22)},
                                                 {"unknown", ratios(0.5, 23)}},
                                                0.005, "run.json");
    CHECK(a.problem == "");
    CHECK(a.agrees());
    REQUIRE(a.rows.size() == 3);
    CHECK(a.rows[0].name == "fast");
    CHECK(a.rows[0].measured == doctest::Approx(-0.2).epsilon(0.1));
    CHECK(a.rows[0].predicted == doctest::Approx(-0.075).epsilon(0.05));
    CHECK(a.tau == doctest::Approx(1));
    CHECK(a.same + a.undecided == a.pairs);
    CHECK(a.pairs >= 2);
    CHECK(a.verdict.starts_with("The replay's order agrees with the run's"));
}

TEST_CASE("a pair that both tell apart, and the other way round, is a contradiction") {
    const replay_agreement a = compare_with_run(made(),
                                                {{"default", std::vector<double>(11, 1.0)},
                                                 {"fast", std::vector<double>(11, 1.3)},
                                                 {"slow", std::vector<double>(11, 0.9)}},
                                                0.01, "run.json");
    CHECK(!a.agrees());
    CHECK(a.pairs == 3);
    CHECK(a.contradictions.size() == 3);
    CHECK(a.tau == doctest::Approx(-1));
    CHECK(a.verdict.find("the worst: slow is faster than fast by 40 %") != std::string::npos);
    CHECK(a.verdict.ends_with("Trust the run."));
}

TEST_CASE("less than 1 % of the program's CPU time is a tie, however steady the replay is") {
    replay_result result = made();
    const std::vector<double> ones(11, 1.0);
    result.rows = {row("default", 1.2, 1), row("near", 1.17, 1), row("far", 1.1, 1)}; // -0.75 %, -2.5 %
    result.rows[1].seconds = result.rows[2].seconds = result.rows[0].seconds;
    for (double& s : result.rows[1].seconds) {
        s *= 0.975;
    }
    for (double& s : result.rows[2].seconds) {
        s *= 0.92;
    }
    estimate_replay(result);
    const replay_agreement a = compare_with_run(
        result,
        {{"default", ones}, {"near", std::vector<double>(11, 1.1)}, {"far", std::vector<double>(11, 1.2)}},
        0.01, "run.json");
    CHECK(a.pairs == 3);
    CHECK(a.undecided == 1);
    CHECK(a.contradictions.size() == 2);
}

TEST_CASE("what the run does not tell apart is no pair; what the replay does not is a tie") {
    const std::vector<double> ones(11, 1.0);
    const replay_agreement level =
        compare_with_run(made(), {{"default", ones}, {"fast", ratios(1.0, 5, 0.2)}}, 0.01, "run.json");
    CHECK(level.pairs == 0);
    CHECK(level.agrees());
    CHECK(level.verdict.starts_with("The run tells no two allocators apart"));
    const replay_agreement noisy = compare_with_run(
        made(0.9), {{"default", ones}, {"fast", std::vector<double>(11, 0.8)}}, 0.01, "run.json");
    CHECK(noisy.pairs == 1);
    CHECK(noisy.undecided == 1);
    CHECK(noisy.agrees());
    CHECK(!compare_with_run(made(), {{"other", ones}}, 0.01, "run.json").problem.empty());
}

TEST_CASE("the table fits the width and says what failed") {
    replay_result result = made();
    replay_row broken;
    broken.name = broken.title = "broken";
    broken.failure = "killed by SIGSEGV";
    result.rows.insert(result.rows.begin() + 2, broken);
    result.left_out = {"hoard: missing", "scudo: broken: it hangs"};
    for (const std::size_t width : {80u, 100u, 140u}) {
        const std::string text = report::render_terminal(report::replay_document(result), {width, false});
        std::size_t at = 0;
        while (at < text.size()) {
            const std::size_t end = text.find('\n', at);
            CHECK(end - at <= width);
            at = end + 1;
        }
        CHECK(text.find("failed: broken: killed by SIGSEGV") != std::string::npos);
        CHECK(text.find("left out: scudo") != std::string::npos);
        CHECK(text.find("hoard") == std::string::npos);
        CHECK(text.find("Particle title") != std::string::npos);
    }
    const std::string text = report::render_terminal(report::replay_document(result), {120, false});
    CHECK(text.find("linn title") < text.find("fast title"));
    CHECK(text.find("fast title") < text.find("slow title"));
    CHECK(text.find("slow title") < text.find("null title")); // the last one
}

TEST_CASE("intervals are called by the level that they were made with") {
    replay_result result = made();
    for (const auto& [level, here, other] :
         {std::tuple{0.95, "95 %", "99 %"}, std::tuple{0.99, "99 %", "95 %"}}) {
        result.options.level = level;
        for (const std::string& text :
             {report::render_terminal(report::replay_document(result), {200, false}),
              report::render_markdown(report::replay_document(result)),
              report::render_html(report::replay_document(result))}) {
            CHECK(text.find(here) != std::string::npos);
            CHECK(text.find(other) == std::string::npos);
        }
    }
}

TEST_CASE("JSON has what docs/reference/replay-json.md promises") {
    replay_result result = made();
    result.agreement = compare_with_run(
        result, {{"default", std::vector<double>(11, 1.0)}, {"fast", ratios(0.8, 21)}}, 0.01, "run.json");
    const nlohmann::json json = nlohmann::json::parse(replay_json(result));
    CHECK(json.at("schema") == "linn.replay/1");
    CHECK(json.at("trace").at("events") == 10'000'000);
    CHECK(json.at("trace").at("program_cpu_seconds") == 4.0);
    REQUIRE(json.at("rows").size() == 6);
    CHECK(json.at("rows")[2].at("name") == "fast");
    CHECK(json.at("rows")[2].at("seconds").size() == 11);
    CHECK(json.at("rows")[2].at("change").get<double>() < 0);
    CHECK(json.at("rows")[2].at("ns_per_request").get<double>() == doctest::Approx(70).epsilon(0.02));
    CHECK(json.at("types").size() == 1);
    CHECK(json.at("agreement").at("agrees") == true);
    CHECK(json.at("agreement").at("rows").size() == 2);
    result.agreement = {};
    result.program_cpu_seconds = 0;
    estimate_replay(result);
    const nlohmann::json unknown = nlohmann::json::parse(replay_json(result));
    CHECK(unknown.at("agreement").is_null());
    CHECK(unknown.at("ceiling").is_null());
    CHECK(unknown.at("rows")[2].at("change").is_null());
}

TEST_CASE("CSV has a line a row, Markdown a table") {
    const replay_result result = made();
    const std::string csv = report::render_csv(report::replay_document(result));
    CHECK(std::count(csv.begin(), csv.end(), '\n') == 8);
    CHECK(csv.find("allocator,fast,fast title") != std::string::npos);
    CHECK(csv.find("type,Particle,") != std::string::npos);
    const std::string markdown = report::render_markdown(report::replay_document(result));
    CHECK(markdown.find("| fast title |") != std::string::npos);
    CHECK(markdown.find("Particle title") != std::string::npos);
}

} // namespace linn::tool::replay_results_tests
