// SPDX-License-Identifier: Apache-2.0
// From an analysed trace to the advice, with names made up here: grouping, gains, verdicts, findings.
#include "../support/advised_program.hpp"
#include "../support/flat_text.hpp"
#include "advise/cost.hpp"
#include "advise/verdict.hpp"
#include "measure/statistics.hpp"
#include "report/render/html.hpp"
#include "report/render/terminal.hpp"
#include "report/verbs/advise_document.hpp"
#include "report/verbs/advise_json.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace linn::tool::advise_tests {

using namespace linn::tool::testing;

bool has_finding(const advice& a, const std::string& kind, const std::string& text) {
    return std::any_of(a.findings.begin(), a.findings.end(), [&](const advice_finding& f) {
        return f.kind == kind && f.text.find(text) != std::string::npos;
    });
}

TEST_CASE("no pool needed: a program that hardly allocates") {
    program p;
    p.churn(1000, 64, 10);
    const advice a = advise(p.analyse(1e9), {}, parts_for({"int|std::list<int>"}));
    CHECK(a.verdict ==
          "No pool needed: an allocator that cost nothing would save less than 0.1 % of this run.");
    CHECK(a.answer == pool_answer::no);
    CHECK(type_of(a, "std::list<int>").rule == "rare");
}

TEST_CASE("no pool needed: nothing was allocated at all") {
    program p;
    const advice a = advise(p.analyse(1e9), {}, parts_for({"int"}));
    CHECK(a.verdict == "No pool needed: the trace has no allocations.");
    CHECK(a.types.empty());
}

TEST_CASE("no verdict: the part of the trace that holds the allocations is lost") {
    program p;
    trace_analysis analysis = p.analyse(1e9);
    analysis.info.missing.emplace_back("the file ends within a chunk");
    const advice a = advise(std::move(analysis), {}, parts_for({"int"}));
    CHECK(a.verdict ==
          "Not known whether a pool would help: events are missing from the trace; record the program "
          "again, to its end.");
    CHECK(a.answer == pool_answer::not_known);
}

TEST_CASE("no pool needed: what is allocated stays") {
    program p;
    p.keep_the_rest();
    p.churn(5000, 64, 5000);
    const advice a = advise(p.analyse(2e7), {}, parts_for({"int|std::list<int>"}));
    CHECK(a.verdict ==
          "No pool needed: an allocator that cost nothing would save at most 1.0 % of this run.");
    CHECK(type_of(a, "std::list<int>").rule == "kept");
}

TEST_CASE("no pool needed: a few large blocks take all the time there is") {
    program p;
    p.churn(100, 8 << 20, 50);
    const advice a = advise(p.analyse(4e8), {}, parts_for({"Line|std::shared_ptr<Line>"}));
    CHECK(a.ceiling.high > 0.05);
    CHECK(a.verdict.starts_with("No pool needed: allocation is up to "));
    CHECK(type_of(a, "std::shared_ptr<Line>").rule == "few-and-large");
}

TEST_CASE("a pool would help: the best type and its place are in the sentence") {
    program p;
    p.churn(20'000, 40, 100);
    p.churn(5000, 24, 100);
    const advice a =
        advise(p.analyse(4e6), {}, parts_for({"Particle|std::list<Particle>", "int|std::set<int>"}));
    CHECK(a.answer == pool_answer::yes);
    CHECK(a.verdict.starts_with("A pool would help: pools would save "));
    CHECK(a.verdict.find("start with std::list<Particle> at app.cpp:50, ") != std::string::npos);
    CHECK(a.types.front().part == "linn::list<Particle>");
    CHECK(a.types.front().gain.low > 0);
    CHECK(a.types.front().gain.high > a.types.front().gain.low);
    CHECK(a.types.front().share == doctest::Approx(0.8));
    CHECK(a.types.front().places.at(0).callers.size() == 2);
}

TEST_CASE("a pool of 2 MiB of live objects is advised with huge pages, in every form") {
    const auto ask = [](unsigned live) {
        program p;
        p.churn(100'000, 40, live);
        return advise(p.analyse(4e6), {}, parts_for({"Particle|std::list<Particle>"}));
    };
    const advice large = ask(50'000);
    const advised_type& list = type_of(large, "std::list<Particle>");
    REQUIRE(list.what == remedy::pooled_container);
    CHECK(list.wants_huge_pages);
    const std::string said =
        "Its objects take 2.3 MiB at once: give the pool the option {.huge_pages = true}";
    CHECK(flat(report::render_terminal(report::advise_document(large, {}), {100})).find(said) !=
          std::string::npos);
    CHECK(report::render_html(report::advise_document(large, {})).find(said) != std::string::npos);
    CHECK(nlohmann::json::parse(advise_json(large))["types"][0]["huge_pages"] == true);

    const advice small = ask(40'000); // 48 bytes each: less than 2 MiB
    CHECK_FALSE(type_of(small, "std::list<Particle>").wants_huge_pages);
    CHECK(flat(report::render_terminal(report::advise_document(small, {}), {100})).find("huge") ==
          std::string::npos);
    advice none = large;
    none.types.front().gain = none.pools = none.ceiling = {0, 0.001};
    take_verdict(none); // no pool, and no option of one
    REQUIRE(none.answer == pool_answer::no);
    CHECK_FALSE(type_of(none, "std::list<Particle>").wants_huge_pages);
}

TEST_CASE("types out of several stacks are one, with a place for each line") {
    program p;
    p.churn(3000, 40, 10);
    p.churn(1000, 40, 10);
    const advice a = advise(p.analyse(1e6), {}, parts_for({"P|std::list<P>", "P|std::list<P>"}));
    REQUIRE(a.types.size() == 1);
    CHECK(a.types[0].statistics.allocations == 4000);
    CHECK(a.types[0].statistics.peak_live == 10); // not twenty: never more were live
    REQUIRE(a.types[0].places.size() == 2);
    CHECK(a.types[0].places[0].frame.line == 50);
    CHECK(a.types[0].places[0].share == 0.75);
    CHECK(a.types[0].places[1].share == 0.25);
}

TEST_CASE("another allocator: many sizes in several threads, and no single type") {
    program p;
    for (unsigned i = 0; i != 30; ++i) {
        p.churn(300, 16 + 40 * i, 10, i % 2);
    }
    advise_parts parts = parts_for({"data"});
    const auto name = parts.names.name;
    parts.names.name = [name](const allocation_site& site) {
        named_type named = name(site);
        named.is_array = true;
        return named;
    };
    const advice a = advise(p.analyse(3e6), {}, parts);
    CHECK(type_of(a, "data").what == remedy::other_allocator);
    CHECK(a.verdict.starts_with("No pool needed, but another allocator may help: allocation is up to "));
    CHECK(a.answer == pool_answer::no);
}

TEST_CASE("a zero fill is worth more than a pool") {
    program p;
    for (int i = 0; i != 20; ++i) {
        p.keep_the_rest();
        p.churn(1, 8 << 20, 1);
        p.fill_last(8 << 20);
    }
    const advice a = advise(p.analyse(1e9), {}, parts_for({"Line|std::shared_ptr<Line>"}));
    CHECK(type_of(a, "std::shared_ptr<Line>").rule == "zero-fill");
    CHECK(a.verdict.find("make_shared_for_overwrite<Line>() for std::shared_ptr<Line> at app.cpp:50") !=
          std::string::npos);
    CHECK(a.verdict.starts_with("No pool needed"));
    CHECK(has_finding(a, "zero-fill",
                      "zero fills: 20 fills of new blocks of std::shared_ptr<Line> wrote 160.0 MiB"));
}

TEST_CASE("findings: not freed, temporary, handed over, without debug information") {
    program p;
    p.churn(3000, 64, 1);
    p.churn(3000, 32, 100, 1);
    p.keep_the_rest();
    p.churn(10, 1000, 10);
    advise_parts parts = parts_for({"char|std::string", "Packet|std::shared_ptr<Packet>", "Config|"});
    const auto name = parts.names.name;
    parts.names.name = [name](const allocation_site& site) {
        named_type named = name(site);
        if (named.type == "char") {
            named.rule = type_rule::none;
        }
        return named;
    };
    const advice a = advise(p.analyse(1e8), {}, parts);
    CHECK(has_finding(a, "leak", "not freed before the end: all 10 blocks of Config, 10 KiB (app.cpp:52)"));
    CHECK(has_finding(a, "temporary",
                      "temporary: all 3000 blocks of std::string are released by the very next call"));
    CHECK(has_finding(a, "remote", "remote: 100 % of the 3000 blocks of std::shared_ptr<Packet>"));
    CHECK(has_finding(a, "symbols", "/home/me/app: 3000 allocations come from here"));
    CHECK(has_finding(a, "symbols", "compile it with -g1"));
    CHECK(std::count_if(a.findings.begin(), a.findings.end(),
                        [](const auto& f) { return f.kind == "leak"; }) == 1);
}

TEST_CASE("warnings: what makes the advice weaker") {
    program p;
    p.churn(100, 64, 1);
    p.info().ending.clear();
    p.info().dropped = 7;
    p.info().cut_stacks = 1;
    p.info().clock = "none";
    trace_analysis run = p.analyse(0);
    run.info.events = 1000;
    const auto process = [](std::string executable, std::uint64_t events) {
        trace_process made;
        made.executable = std::move(executable);
        made.events = events;
        return made;
    };
    run.info.processes = {process("/usr/bin/bash", 800), process("/usr/bin/python3.11", 100),
                          process("/usr/bin/bash", 92), process("/usr/bin/env", 8)}; // env: less than 1 %
    const advice a = advise(run, {}, parts_for({"int"}));
    const auto has = [&](const std::string& text) {
        return std::any_of(a.warnings.begin(), a.warnings.end(),
                           [&](const std::string& w) { return w.find(text) != std::string::npos; });
    };
    CHECK(has("before the outermost call"));
    CHECK(has("--clock=none"));
    CHECK(has("has no CPU time"));
    CHECK(
        has("recorded several programs, by events: bash 89 %, python3.11 10 %; 'linn record --only-exe NAME' "
            "records one alone"));
    run.info.processes[1].executable = "/usr/bin/bash";
    CHECK(std::ranges::none_of(advise(run, {}, parts_for({"int"})).warnings, [](const std::string& w) {
        return w.find("several programs") != std::string::npos;
    }));
}

TEST_CASE("the program's CPU time: measured, or less the recording, or as long as it lasted") {
    trace_info info;
    info.events = 1'000'000;
    info.event_cost_ns = 30;
    CHECK(cost_of_program(info).from == program_cost::source::unknown);
    info.duration_ns = 200'000'000;
    CHECK(cost_of_program(info).from == program_cost::source::wall_time);
    CHECK(cost_of_program(info).cpu_ns == 170e6);
    info.user_ns = 100e6;
    info.system_ns = 10e6;
    CHECK(cost_of_program(info).from == program_cost::source::less_recording);
    CHECK(cost_of_program(info).cpu_ns == 80e6);
    info.event_cost_ns = 200; // more than there was
    CHECK(cost_of_program(info).cpu_ns == doctest::Approx(11e6));
    info.baseline_cpu_ns = 75e6;
    CHECK(cost_of_program(info).from == program_cost::source::baseline);
    CHECK(cost_of_program(info).cpu_ns == 75e6);
}

} // namespace linn::tool::advise_tests
