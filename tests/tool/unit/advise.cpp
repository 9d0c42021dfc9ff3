// SPDX-License-Identifier: Apache-2.0
// From an analysed trace to the advice, with names made up here: grouping, gains, verdicts, findings.
#include "../support/advised_program.hpp"
#include "advise/findings.hpp"
#include "advise/verdict.hpp"
#include "measure/statistics.hpp"
#include "report/commands/reports.hpp"
#include "unit.hpp"

#include <nlohmann/json.hpp>

namespace linn::tool::advise_tests {

using namespace linn::tool::testing;

const advised_type& type_of(const advice& a, const std::string& label) {
    const auto found = std::find_if(a.types.begin(), a.types.end(),
                                    [&](const advised_type& t) { return label_of(t) == label; });
    REQUIRE(found != a.types.end());
    return *found;
}

/// The counts of the findings of a kind.
std::vector<std::uint64_t> counts_of(const advice& a, const std::string& kind) {
    std::vector<std::uint64_t> counts;
    for (const advice_finding& f : a.findings) {
        if (f.kind == kind) {
            counts.push_back(f.count);
        }
    }
    return counts;
}

TEST_CASE("many small types count as much as one large one") {
    program p;
    std::vector<std::string> names;
    for (unsigned i = 0; i != 240; ++i) {
        p.churn(100, 32, 10);
        names.push_back("Part" + std::to_string(i));
    }
    const advice a = advise(timed(p.analyse(1e9), std::vector<double>(240, 0.0012)), parts_for(names));
    CHECK(std::ranges::all_of(a.types, [](const advised_type& t) { return t.rule == "rare"; }));
    CHECK(a.answer == pool_answer::yes);
    CHECK(a.pools.low == doctest::Approx(240 * 0.0012 * 0.9 * 0.2));
}

TEST_CASE("types are in the order of their time, or of their calls where that is not known") {
    program p;
    p.churn(3000, 40, 10);
    p.churn(1000, 24, 10);
    const advise_parts parts = parts_for({"P|std::list<P>", "int|std::set<int>"});
    CHECK(label_of(advise(timed(p.analyse(1e6), {0.1, 0.2}), parts).types.front()) == "std::set<int>");
    CHECK(label_of(advise(p.analyse(1e6), parts).types.front()) == "std::list<P>");
}

TEST_CASE("types that are too rare alone are worth the change that serves all of them") {
    program p;
    std::vector<std::string> names;
    for (unsigned i = 0; i != 6; ++i) {
        p.churn(1000, 32 + 16 * i, 10);
        names.push_back("shop::part" + std::to_string(i));
    }
    advise_parts parts = parts_for(names);
    bool is_alias = false;
    parts.names.name = [names = parts.names.name, &is_alias](const allocation_site& site) {
        named_type named = names(site);
        named.takes_allocator = is_alias ? "shop::document<std::map, std::allocator>" : "";
        return named;
    };
    const auto advised = [&] {
        const advice a = advise(timed(p.analyse(10e6), std::vector<double>(6, 0.004)), parts, 0.01);
        return std::ranges::count_if(a.types,
                                     [](const advised_type& t) { return t.what != remedy::nothing; });
    };
    CHECK(advised() == 0);
    is_alias = true;
    CHECK(advised() == 6);
}

TEST_CASE("a pool of 2 MiB of live objects is advised with huge pages") {
    const auto ask = [](unsigned live) {
        program p;
        p.churn(100'000, 40, live);
        return advise(timed(p.analyse(40e6), {0.4}), parts_for({"Particle|std::list<Particle>"}));
    };
    const advice large = ask(50'000);
    const advised_type& list = type_of(large, "std::list<Particle>");
    REQUIRE(list.what == remedy::pooled_container);
    CHECK(list.wants_huge_pages);
    CHECK(nlohmann::json::parse(report::advise_json(large))["types"][0]["huge_pages"] == true);

    const advice small = ask(40'000); // 48 bytes each: less than 2 MiB
    CHECK_FALSE(type_of(small, "std::list<Particle>").wants_huge_pages);
    advice none = large;
    none.threshold = 0.9;
    take_verdict(none); // no pool, and no option of one
    REQUIRE(none.answer == pool_answer::no);
    CHECK_FALSE(type_of(none, "std::list<Particle>").wants_huge_pages);
}

TEST_CASE("types out of several stacks are one, with a place for each line") {
    program p;
    p.churn(3000, 40, 10);
    p.churn(1000, 40, 10);
    const advice a = advise(p.analyse(1e6), parts_for({"P|std::list<P>", "P|std::list<P>"}));
    REQUIRE(a.types.size() == 1);
    CHECK(a.types[0].statistics.allocations == 4000);
    CHECK(a.types[0].statistics.peak_live == 10); // not twenty: never more were live
    REQUIRE(a.types[0].places.size() == 2);
    CHECK(a.types[0].places[0].frame.line == 50);
    CHECK(a.types[0].places[0].share == 0.75);
    CHECK(a.types[0].places[1].share == 0.25);
}

TEST_CASE("findings: not freed, temporary, without debug information") {
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
    const advice a = advise(p.analyse(1e8), parts);
    using counts = std::vector<std::uint64_t>;
    CHECK(counts_of(a, "leak") == counts{10});
    CHECK(counts_of(a, "temporary") == counts{3000});
    CHECK(counts_of(a, "symbols") == counts{3000});
}

TEST_CASE("the program's CPU time: measured, or less the recording") {
    trace_info info;
    info.events = 1'000'000;
    info.event_cost_ns = 30;
    info.duration_ns = 200'000'000;
    CHECK(cost_of_program(info).cpu_ns == 0); // it was idle, or the recording was cut off
    info.user_ns = 100e6;
    info.system_ns = 10e6;
    CHECK(cost_of_program(info).cpu_ns == 80e6);
    info.event_cost_ns = 200; // more than there was
    CHECK(cost_of_program(info).cpu_ns == doctest::Approx(11e6));
    CHECK(cost_of_program(info).is_guess);
    info.baseline.cpu_ns = 75e6;
    CHECK(cost_of_program(info).cpu_ns == 75e6);
    CHECK_FALSE(cost_of_program(info).is_guess);
}

} // namespace linn::tool::advise_tests
