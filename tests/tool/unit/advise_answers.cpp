// SPDX-License-Identifier: Apache-2.0
// Does the program need a pool: yes, no or not known. One function decides, and the terminal, the page, Markdown, JSON, CSV and
// the exit status say the same; on one trace a noisy replay never turns a yes into a no.
#include "../support/flat_text.hpp"
#include "advise/cost.hpp"
#include "advise/findings.hpp"
#include "advise/page_faults.hpp"
#include "advise/verdict.hpp"
#include "measure/statistics.hpp"
#include "replay/estimates.hpp"
#include "report/document/markup.hpp"
#include "report/render/csv.hpp"
#include "report/render/html.hpp"
#include "report/render/markdown.hpp"
#include "report/render/terminal.hpp"
#include "report/verbs/advise_document.hpp"
#include "report/verbs/advise_json.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace linn::tool::advise_answers_tests {

using linn::tool::testing::flat;
using nlohmann::json;

advised_type pool_of(const std::string& name, gain_range gain, bool is_measured = true) {
    advised_type t;
    t.name = t.named.type = name;
    t.container = "std::list<" + name + ">";
    t.what = remedy::pooled_container;
    t.rule = "node";
    t.part = "linn::list<" + name + ">";
    t.why = "a reason";
    t.snippet = "- std::list\n+ linn::list\n";
    t.gain = gain;
    t.is_gain_measured = is_measured;
    t.statistics.allocations = 1000;
    advised_place place;
    place.frame = {"work(int)", "/home/me/app.cpp", 52, 9, false};
    t.places.push_back(place);
    return t;
}

/// A run of 4 s, measured with and without the recording, whose allocations take that much of it.
advice advice_with(std::vector<advised_type> types, gain_range ceiling) {
    advice a;
    a.analysis.info.command = {"./app"};
    a.analysis.info.baseline_cpu_ns = a.program_cpu_ns = 4e9;
    a.analysis.info.threads.resize(1);
    a.analysis.all.allocations = 1'000'000;
    a.types = std::move(types);
    a.ceiling = ceiling;
    a.is_ceiling_measured = true;
    a.replay.options.budget = std::chrono::seconds{20};
    a.replay.complete_rounds = 11;
    a.replay.rows.resize(1);
    return a;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::string render(const advice& a) {
    return flat(report::render_terminal(report::advise_document(a, {}), {100, false}));
}

const char* beginning_of(pool_answer answer) {
    return answer == pool_answer::yes  ? "A pool would help"
           : answer == pool_answer::no ? "No pool needed"
                                       : "Not known whether a pool would help";
}

/// What every form says is what the one function answered. @pre take_verdict was called
void check_forms(const advice& a) {
    CAPTURE(a.verdict);
    CHECK(a.verdict.size() <= most_verdict_letters);
    const json j = json::parse(advise_json(a));
    CHECK(j.at("answer") == to_string(a.answer));
    CHECK(j.at("pool_needed") == (a.answer == pool_answer::yes));
    CHECK(j.at("to_know").is_null() == (a.answer != pool_answer::not_known));
    CHECK(j.at("verdict") == a.verdict);
    const std::string table = flat(report::render_terminal(report::advise_document(a, {}), {100, false}));
    const std::string markdown = report::render_markdown(report::advise_document(a, {}));
    const std::string page = report::render_html(
        report::advise_document(a, {}, [](std::uint32_t) { return std::vector<symbol_frame>{}; }));
    const std::string csv = report::render_csv(report::advise_document(a, {}));
    CHECK(table.starts_with(flat(a.verdict)));
    CHECK(markdown.starts_with("**" + report::markdown_text(a.verdict) + "**"));
    CHECK(contains(page, html::escape(a.verdict)));
    for (const pool_answer other : {pool_answer::yes, pool_answer::no, pool_answer::not_known}) {
        for (const std::string* text : {&a.verdict, &table, &markdown, &page}) {
            CHECK(contains(*text, beginning_of(other)) == (other == a.answer));
        }
    }
    bool any_pool = false;
    for (const json& type : j.at("types")) {
        any_pool =
            any_pool || contains(type.at("use").is_null() ? "" : type.at("use").get<std::string>(), "linn::");
    }
    for (const std::string* text : {&table, &markdown, &page, &csv}) {
        CHECK(contains(*text, "linn::") == any_pool);
    }
    if (a.answer == pool_answer::no) {
        CHECK_FALSE(any_pool);
    }
    if (a.answer == pool_answer::yes) {
        CHECK(any_pool);
        CHECK(saves_at_least(a, worth_a_pool));
    }
    if (any_pool) {
        CHECK(saves_at_least(a, a.tried && a.tried->gain ? a.tried->gain->interval.low : a.pools.low));
    }
    for (std::size_t at = csv.find("\r\n"); at + 2 < csv.size();) {
        const std::size_t end = csv.find("\r\n", at + 2);
        const std::string line = csv.substr(at + 2, end - at - 2);
        CHECK(contains(line, std::string{","} + to_string(a.answer)));
        at = end;
    }
}

advice judged(advice a) {
    take_verdict(a);
    check_forms(a);
    return a;
}

/// A replay of which each round is off by its own noise: what the default takes is three tenths of the run.
class simulated_replay {
public:
    simulated_replay(std::uint64_t seed, double sigma) : random_{seed}, sigma_{sigma} {}

    replay_row row(const std::string& name, double saving, std::size_t rounds) {
        replay_row r;
        r.name = r.title = name;
        for (std::size_t i = 0; i != rounds; ++i) {
            r.seconds.push_back(1.2 * (1 - saving / 0.3) * std::exp(sigma_ * normal()));
        }
        return r;
    }

private:
    double uniform() { return (static_cast<double>(random_() >> 11) + 0.5) * 0x1p-53; }
    double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(6.283185307179586 * uniform()); }

    std::mt19937_64 random_;
    double sigma_;
};

/// Four types that save the same each, and everything together; as a replay shows them.
advice replayed(double saving, double sigma, std::uint64_t seed, std::size_t rounds = 11) {
    simulated_replay replay{seed, sigma};
    advice a = advice_with({}, {});
    a.replay.options.seed = seed;
    a.replay.options.level = 0.99;
    a.replay.complete_rounds = rounds;
    a.replay.measured_seconds = static_cast<double>(rounds) * 3;
    a.replay.program_cpu_seconds = 4;
    a.replay.rows = {replay.row(default_name, 0, rounds), replay.row(null_name, 0.25, rounds)};
    for (const char* name : {"A", "B", "C", "D"}) {
        a.replay.groups.push_back(replay.row(name, saving / 4, rounds));
    }
    a.replay.together = replay.row("all types", saving, rounds);
    estimate_replay(a.replay);
    a.is_ceiling_measured = rounds >= rounds_to_judge;
    a.ceiling = a.is_ceiling_measured ? replayed_ceiling(a.replay.rows.back()) : gain_range{0.02, 0.4};
    for (const replay_row& row : a.replay.groups) {
        a.types.push_back(a.is_ceiling_measured ? pool_of(row.name, replayed_gain(row))
                                                : pool_of(row.name, {0.001, 0.1}, false));
    }
    take_verdict(a);
    return a;
}

TEST_CASE("at every edge of the rule, every form of the report gives the one answer") {
    const double t = worth_a_pool;
    const std::vector<double> bounds{-0.05, 0,  t / 2, std::nextafter(t, 0), t, std::nextafter(t, 1),
                                     t * 2, 0.3};
    for (const double low : bounds) {
        for (const double high : bounds) {
            for (const double ceiling : {t / 2, t, 0.5}) {
                for (const bool is_measured : {false, true}) {
                    if (high < low) {
                        continue;
                    }
                    CAPTURE(low);
                    CAPTURE(high);
                    CAPTURE(ceiling);
                    const advice a =
                        judged(advice_with({pool_of("P", {low, high}, is_measured)}, {0, ceiling}));
                    CHECK((a.answer == pool_answer::yes) == (low >= t));
                    CHECK((a.answer == pool_answer::no) == (high < t));
                }
            }
        }
    }
}

TEST_CASE("without a type for a pool the answer is no, whatever allocation costs") {
    CHECK(judged(advice_with({}, {0.001, 0.004})).verdict ==
          "No pool needed: an allocator that cost nothing would save at most 0.4 % of this run.");
    CHECK(judged(advice_with({}, {0, 0.0004})).verdict ==
          "No pool needed: an allocator that cost nothing would save less than 0.1 % of this run.");
    CHECK(judged(advice_with({}, {0.3, 0.6})).verdict ==
          "No pool needed: allocation is up to 60 % of this run, but a pool fits no type.");
    advised_type other = pool_of("X", {0, 0.2});
    other.what = remedy::other_allocator;
    other.part = "another allocator: run it";
    other.snippet.clear();
    const advice a = judged(advice_with({other}, {0.3, 0.6}));
    CHECK(a.verdict ==
          "No pool needed, but another allocator may help: allocation is up to 60 % of this run, and no "
          "type is worth a pool; try 'linn run'.");
    advised_type change = pool_of("X", {0.03, 0.2});
    change.what = remedy::reserve;
    change.part = "reserve()";
    change.snippet.clear();
    CHECK(judged(advice_with({change}, {0.3, 0.6})).verdict ==
          "No pool needed: allocation is up to 60 % of this run; use reserve() for std::list<X> at "
          "app.cpp:52, 3 to 20 %.");
    change.what = remedy::for_overwrite;
    change.part = "reuse: keep one string and clear it, or use std::string_view";
    CHECK(judged(advice_with({other, change}, {0.01, 0.1})).verdict ==
          "No pool needed: allocation is up to 10 % of this run; keep one string and clear it for "
          "std::list<X> at app.cpp:52, 3 to 20 %."); // more than any allocator may save
}

/// Blocks that nearly all have one size, and whose source takes no pool as it is.
advised_type out_of_reach(const char* rule, remedy what) {
    advised_type t = pool_of("X", {0, 0.2});
    t.what = what;
    t.rule = rule;
    t.part = "another allocator: try others with linn run";
    t.snippet.clear();
    t.statistics.smallest = 8;
    t.statistics.largest = 64;
    t.statistics.sizes = {{56, 950}, {8, 25}, {64, 25}};
    return t;
}

// The source of lua, in C, saves 14 to 46 % of runs whose answer was no: docs/design/predictions.md.
TEST_CASE("blocks of one size in C code may gain from a pool, which linn try measures: not known") {
    advised_type blocks = out_of_reach("foreign-costly", remedy::other_allocator);
    const advice a = judged(advice_with({blocks}, {0.05, 0.1}));
    CHECK(a.answer == pool_answer::not_known);
    CHECK(a.verdict ==
          "Not known whether a pool would help: in code that takes none as it is, it would save at most 10 % "
          "of the run; 'linn try -- PROG' measures it.");
    CHECK(a.pools.low == 0);
    CHECK(a.pools.high == 0.1); // what all allocation costs

    CHECK(judged(advice_with({blocks}, {0, 0.01})).answer == pool_answer::no); // little to gain for anybody
    blocks.gain.high = 0.01;
    CHECK(judged(advice_with({blocks}, {0.05, 0.1})).answer == pool_answer::no);
    const advised_type pool = pool_of("Y", {0.03, 0.08});
    CHECK(judged(advice_with({pool, blocks}, {0.05, 0.1})).answer == pool_answer::yes);
}

// perl of Debian: one allocation function, no debug information, allocation up to 43 % of the run.
TEST_CASE(
    "a program of which nothing is known but one allocation function is not told that it needs no pool") {
    CHECK(judged(advice_with({out_of_reach("costly", remedy::other_allocator)}, {0.1, 0.43})).answer ==
          pool_answer::not_known);
}

TEST_CASE("types in C code that cost little each count together") {
    advised_type cheap = out_of_reach("foreign", remedy::nothing);
    cheap.gain = {};
    cheap.cost = {0, 0.008};
    CHECK(judged(advice_with({cheap, cheap}, {0.05, 0.1})).answer == pool_answer::no);
    CHECK(judged(advice_with({cheap, cheap, cheap}, {0.05, 0.1})).answer == pool_answer::not_known);
}

TEST_CASE("what no plan can serve is no reason to try one") {
    advised_type many = out_of_reach("foreign-costly", remedy::other_allocator);
    many.statistics.sizes = {{56, 500}, {8, 250}, {64, 250}};
    CHECK(judged(advice_with({many}, {0.05, 0.1})).answer == pool_answer::no);
    advised_type large = out_of_reach("foreign-costly", remedy::other_allocator);
    large.statistics.largest = 4096;
    large.statistics.sizes = {{4096, 1000}};
    CHECK(judged(advice_with({large}, {0.05, 0.1})).answer == pool_answer::no);
}

TEST_CASE("gains that many types share are another allocator's") {
    std::vector<advised_type> many;
    for (int i = 0; i != 50; ++i) {
        advised_type t = pool_of("type_" + std::to_string(i), {});
        t.what = remedy::nothing;
        t.part.clear();
        t.snippet.clear();
        t.share = 0.02; // of an allocation that is 20 % of the run: 0.4 % each
        many.push_back(t);
    }
    advice a = advice_with(many, {0.1, 0.2});
    take_verdict(a);
    CHECK(a.answer == pool_answer::no);
    CHECK(contains(a.verdict, "another allocator may help"));
    check_forms(a);

    a.ceiling = {0.01, 0.015}; // little to gain for anybody
    take_verdict(a);
    CHECK_FALSE(contains(a.verdict, "another allocator"));

    for (advised_type& t : many) {
        t.share = 0;
    }
    many.front().share = 1; // one type has it all, and no pool fits it
    advice one = advice_with(many, {0.1, 0.2});
    take_verdict(one);
    CHECK_FALSE(contains(one.verdict, "another allocator"));
}

TEST_CASE("several types, each too small to tell, are judged together") {
    std::vector<advised_type> types;
    for (const char* name : {"A", "B", "C", "D", "E", "F"}) {
        types.push_back(pool_of(name, {-0.01, 0.02}));
    }
    advice a = advice_with(types, {0.1, 0.3});
    CHECK(judged(a).answer == pool_answer::not_known);
    a.replay.together.emplace();
    a.replay.together->change_low = -0.06;
    a.replay.together->change_high = -0.05;
    CHECK(judged(a).answer == pool_answer::yes);
    CHECK(judged(a).pools.low == doctest::Approx(0.05 / 1.15));
    a.replay.together->change_low = -0.008;
    a.replay.together->change_high = 0.004;
    // A single one may save 2 %, so all of them may.
    CHECK(judged(a).answer == pool_answer::not_known);
    for (advised_type& type : a.types) {
        type.gain.high = 0.015;
    }
    CHECK(judged(a).answer == pool_answer::no);
    a.replay.together->failure = "killed by SIGSEGV";
    CHECK(judged(a).answer == pool_answer::not_known);
}

TEST_CASE("a noisy replay of one trace never answers yes one time and no another") {
    for (const double saving : {0.005, 0.02, 0.1, 0.22}) {
        for (const double sigma : {0.003, 0.03, 0.2}) {
            CAPTURE(saving);
            CAPTURE(sigma);
            std::size_t yes = 0;
            std::size_t no = 0;
            constexpr std::uint64_t replays = 8;
            for (std::uint64_t seed = 1; seed <= replays; ++seed) {
                const advice a = replayed(saving, sigma, seed);
                yes += a.answer == pool_answer::yes ? 1U : 0U;
                no += a.answer == pool_answer::no ? 1U : 0U;
            }
            CHECK((yes == 0 || no == 0));
            if (saving <= worth_a_pool / 2) {
                CHECK(yes <= (sigma > 0.1 ? 1U : 0U)); // rounds that are off by a fifth
            }
            if (saving >= worth_a_pool * 1.15) {
                CHECK(no == 0);
            }
            if (sigma < 0.01 && saving > 0.03) {
                CHECK(yes == replays);
            }
            if (sigma < 0.01 && saving <= 0.005) {
                CHECK(no == replays);
            }
        }
    }
}

TEST_CASE("what is not known comes with what would make it known") {
    SUBCASE("too few rounds: how long enough of them take") {
        const advice a = judged(replayed(0.1, 0.02, 1, 3));
        CHECK(a.answer == pool_answer::not_known);
        CHECK(a.to_know == "the replay had 3 of 6 rounds: use --replay-budget 60");
        CHECK(a.verdict.ends_with("; the replay had 3 of 6 rounds: use --replay-budget 60."));
    }
    SUBCASE("no replay") {
        advice a = advice_with({pool_of("P", {0.001, 0.1}, false)}, {0.01, 0.2});
        a.is_ceiling_measured = false;
        a.replay = {};
        CHECK(judged(a).to_know == "a replay would tell more: leave out --no-replay and --aggregate");
        a.analysis.info.sample_bytes = 4096;
        CHECK(judged(a).to_know == "a replay would tell more: record without --sample");
        a.replay.problem = "no worker";
        CHECK(judged(a).to_know == "the replay failed: make the change, use 'linn run'");
    }
    SUBCASE("the CPU time without the recording is an estimate, and decides") {
        advice a = advice_with({pool_of("P", {0.03, 0.05})}, {0.1, 0.3});
        CHECK(judged(a).answer == pool_answer::yes);
        trace_info& info = a.analysis.info;
        info.baseline_cpu_ns = 0;
        info.user_ns = 10e9;
        info.events = 200'000'000;
        info.event_cost_ns = 30; // 6 of the 10 s
        const advice unsure = judged(a);
        CHECK(unsure.answer == pool_answer::not_known);
        CHECK(unsure.to_know == "'linn record --baseline' measures the run itself");
        CHECK(unsure.pools.low < 0.03);
        CHECK(unsure.pools.high > 0.05);
        info.events = 1'000'000; // the recording was a trifle
        CHECK(judged(a).answer == pool_answer::yes);
        info.load_per_cpu = 3; // and nobody knows how much of it is the machine's
        CHECK(judged(a).pools.low == doctest::Approx(0.02).epsilon(0.02));
    }
    SUBCASE("noise") {
        CHECK(judged(advice_with({pool_of("P", {-0.02, 0.2})}, {0.1, 0.3})).to_know ==
              "less noise would tell: use --replay-budget 80");
    }
    SUBCASE("only the changed program can tell") {
        CHECK(judged(advice_with({pool_of("P", {0.008, 0.04})}, {0.1, 0.3})).to_know ==
              "make the change and compare with 'linn run'");
    }
    SUBCASE("nothing of the run is known") {
        advice a = advice_with({pool_of("P", {})}, {});
        a.program_cpu_ns = 0;
        CHECK(judged(a).verdict ==
              "Not known whether a pool would help: the trace does not tell how long the program "
              "ran; record it with --baseline.");
        a.analysis.all.allocations = 0;
        a.types.clear();
        CHECK(judged(a).verdict == "No pool needed: the trace has no allocations.");
    }
}

TEST_CASE("a verdict has at most 160 letters, whatever the types are called") {
    for (const std::size_t letters : {1U, 20U, 60U, 61U, 200U, 3000U}) {
        for (const std::size_t file : {1U, 30U, 300U}) {
            for (const remedy what : {remedy::pooled_container, remedy::reserve}) {
                for (const gain_range& gain :
                     {gain_range{0.021, 0.5}, gain_range{-0.999, 0.9}, gain_range{0.1, 0.2}}) {
                    advised_type t = pool_of("First" + std::string(letters, 'x') + "Last", gain);
                    t.what = what;
                    t.part = what == remedy::reserve ? std::string(letters, 'r') : t.part;
                    t.snippet = what == remedy::reserve ? std::string{} : t.snippet;
                    t.places.front().frame.file = "/" + std::string(file, 'f') + ".cpp";
                    const advice a = judged(advice_with({t}, {0.2, 1}));
                    if (a.answer == pool_answer::yes) {
                        CHECK(contains(a.verdict, "std::list<"));
                    }
                }
            }
        }
    }
}

TEST_CASE("the exit status asks the same ranges: all pools together, or another change") {
    advice a = judged(advice_with({pool_of("A", {0.03, 0.05}), pool_of("B", {0.03, 0.05})}, {0.1, 0.3}));
    CHECK(a.pools.low == doctest::Approx(0.06));
    CHECK(saves_at_least(a, 0.05));
    CHECK_FALSE(saves_at_least(a, 0.061));
    CHECK_FALSE(saves_at_least(judged(advice_with({pool_of("A", {0, 0.01})}, {0.1, 0.3})), 0));
    advised_type change = pool_of("X", {0.04, 0.2});
    change.what = remedy::for_overwrite;
    change.part = "new without ()";
    change.snippet.clear();
    a = judged(advice_with({change}, {0.1, 0.3}));
    CHECK(a.answer == pool_answer::no);
    CHECK(saves_at_least(a, 0.04));
    CHECK_FALSE(saves_at_least(a, 0.05));
}

TEST_CASE("what --try measured decides, and the sentence says that it is measured and a lower bound") {
    const auto tried = [](pool_answer answer, double low, double saved, double high) {
        advice a = advice_with({pool_of("Node", {0.10, 0.30})}, {0.2, 0.4});
        a.tried.emplace();
        a.tried->answer = answer;
        a.tried->gain = measured_gain{saved, {low, high}, 1, 0.01};
        a.types.front().tried = a.tried->gain;
        return judged(std::move(a));
    };
    const advice yes = tried(pool_answer::yes, 0.048, 0.106, 0.209);
    CHECK(yes.verdict ==
          "A pool would help: measured, pools save 10.6 % (4.8 to 20.9), a lower bound; 10 to 30 % was "
          "predicted.");
    CHECK(yes.tried->predicted == pool_answer::yes);
    CHECK(saves_at_least(yes, 0.048));
    CHECK_FALSE(saves_at_least(yes, 0.05));
    CHECK(contains(flat(report::render_terminal(report::advise_document(yes, {}), {100, false})),
                   "measured: saves 10.6 % (4.8 to 20.9)."));

    const advice no = tried(pool_answer::no, -0.02, -0.001, 0.012);
    CHECK(no.verdict ==
          "No pool needed: measured, pools cost 0.1 % (-1.2 to 2.0), an upper bound; 10 to 30 % was "
          "predicted.");
    CHECK(no.tried->predicted == pool_answer::yes);
    CHECK(no.types.front().what == remedy::nothing);
    CHECK(contains(no.types.front().why, "as measured"));
    CHECK_FALSE(saves_at_least(no, 0.02));

    const advice open = tried(pool_answer::not_known, -0.05, 0.01, 0.08);
    CHECK(contains(open.verdict, "1.0 % (-5.0 to 8.0), a lower bound, and 2.0 % decides; a larger --budget"));
    CHECK(contains(tried(pool_answer::not_known, 0.03, 0.04, 0.08).verdict, "which noise alone could show"));
    CHECK(open.to_know == "a larger --budget for --try");
}

TEST_CASE("a trial that measured nothing leaves the prediction, and says why") {
    advice a = advice_with({pool_of("Node", {0.10, 0.30})}, {0.2, 0.4});
    const std::string predicted = judged(a).verdict;
    a.tried.emplace();
    a.tried->problem = "it is static";
    a.types.front().not_tried = "it is static";
    const advice same = judged(a);
    CHECK(same.verdict == predicted);
    CHECK(same.answer == pool_answer::yes);
    CHECK(contains(flat(report::render_terminal(report::advise_document(same, {}), {100, false})),
                   "Not measured: it is static."));
    CHECK(contains(report::render_csv(report::advise_document(same, {})), "it is static"));
    CHECK(contains(report::render_html(report::advise_document(
                       same, {}, [](std::uint32_t) { return std::vector<symbol_frame>{}; })),
                   "it is static"));
}

// ledger: the ceiling was 5.0 to 13.6 %, and mimalloc 3 saved 30 %; "an allocator that costs nothing would save at most ..."
// was wrong.
TEST_CASE("where page faults cost much, the ceiling is none, and a no is none where pools of huge pages may "
          "save them") {
    const auto ask = [](std::uint64_t count, std::uint64_t peak_live, std::uint64_t size,
                        gain_range gain = {0, 0.001}) {
        advised_type t = pool_of("node", gain);
        t.statistics.sizes = {{size, 1000}};
        t.statistics.peak_live = peak_live;
        t.statistics.peak_live_bytes = peak_live * size;
        advice a = advice_with({t}, {0.05, 0.14});
        a.program_cpu_ns = a.analysis.info.baseline_cpu_ns = 343e6; // as ledger measured
        a.analysis.info.baseline_system_ns = 74e6;
        a.analysis.info.baseline_page_faults = count;
        a.analysis.all.peak_live_bytes = std::uint64_t{55} << 20;
        a.page_faults = page_faults_of(a.analysis, a.types, a.program_cpu_ns, 1000);
        a.findings = find_findings(a, {});
        take_verdict(a);
        return a;
    };
    SUBCASE("nothing is said of few, or of a run that was not counted") {
        for (const std::uint64_t count : {0U, 500U}) {
            const advice a = ask(count, 1000, 48);
            check_forms(a);
            CHECK(a.verdict == "No pool needed: pools would save at most 0.1 % of this run.");
            CHECK_FALSE(contains(render(a), "page fault"));
            CHECK(json::parse(advise_json(a))["page_faults"].is_null() == (count == 0));
        }
    }
    SUBCASE("no type is large: another allocator") {
        const advice a = ask(14'625, 1000, 48);
        CHECK(a.page_faults.of_run.low == doctest::Approx(55.0 * 256 * 1000 / 343e6));
        CHECK(a.page_faults.of_run.high == doctest::Approx(14'625.0 * 5000 / 343e6));
        CHECK(a.page_faults.of_pools == 0);
        CHECK(a.answer == pool_answer::no);
        CHECK(a.verdict ==
              "No pool needed, but huge pages may help: page faults take 4 to 21 % of this run; try "
              "'linn run', which measures glibc on huge pages too.");
        check_forms(a);
        for (const std::string said :
             {"no bound for one on huge pages", "glibc-huge-pages", "14625 page faults"}) {
            CHECK_MESSAGE(contains(render(a), said), said);
        }
        const json j = json::parse(advise_json(a))["page_faults"];
        CHECK(j["count"] == 14'625);
        CHECK(j["low"] == a.page_faults.of_run.low);
    }
    SUBCASE("a type is large, and of one size: what pools save is not known") {
        const advice a = ask(14'625, 300'000, 48);
        CHECK(a.answer == pool_answer::not_known);
        CHECK(a.verdict ==
              "Not known whether a pool would help: page faults take 4 to 21 % of the run, which a replay "
              "does not show; 'linn try' measures pools on huge pages.");
        CHECK(a.to_know == "'linn try' measures pools on huge pages");
        CHECK(a.pools.high >= a.page_faults.of_pools); // which no replay shows: docs/design/predictions.md
        CHECK(ask(14'625, 3000, 4800).answer == pool_answer::no); // no plan serves so large a block
    }
    SUBCASE("they add to what the replay shows, whatever the answer") {
        const advice open = ask(14'625, 300'000, 48, {0.01, 0.1});
        CHECK(open.answer == pool_answer::not_known);
        CHECK(open.pools.low == doctest::Approx(0.01));
        CHECK(open.pools.high == doctest::Approx(0.1 + open.page_faults.of_pools));
        CHECK(open.to_know == "'linn try' measures pools on huge pages");
        const advice yes = ask(14'625, 300'000, 48, {0.06, 0.1});
        CHECK(yes.answer == pool_answer::yes);
        CHECK(yes.pools.high == doctest::Approx(0.1 + yes.page_faults.of_pools));
    }
    SUBCASE("no more than the time in the kernel") {
        CHECK(ask(1'000'000, 1000, 48).page_faults.of_run.high == doctest::Approx(74.0 / 343));
    }
}

} // namespace linn::tool::advise_answers_tests
