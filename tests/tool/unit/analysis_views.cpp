// SPDX-License-Identifier: Apache-2.0
// What a recording can be filtered by: blocks that were live at the peak, temporary ones by both rules, and the order of time.
#include "analysis/accumulator.hpp"
#include "analysis/order_recorder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace linn::tool::analysis_views_tests {

event at(std::uint64_t time, event_kind kind, std::uint64_t address, std::uint64_t bytes, std::uint32_t stack,
         std::uint32_t thread = 0) {
    event e;
    e.kind = kind;
    e.call = kind == event_kind::release ? allocation_call::operator_delete : allocation_call::operator_new;
    e.time = time;
    e.address = address;
    e.bytes = bytes;
    e.stack = stack;
    e.thread = thread;
    return e;
}

constexpr auto got = event_kind::allocation;
constexpr auto gave = event_kind::release;

trace_analysis analyse(const std::vector<event>& events, const analysis_wishes& wishes = {}) {
    accumulator a{event_times::exact, {}, wishes};
    a.take(events);
    return a.finish({});
}

site_statistics site_of(const trace_analysis& a, std::uint32_t stack) {
    const auto found = std::find_if(a.sites.begin(), a.sites.end(),
                                    [&](const analysed_site& s) { return s.stack == stack; });
    return found == a.sites.end() ? site_statistics{} : found->statistics;
}

std::uint64_t temporary_with(const std::vector<event>& events, temporary_rule rule) {
    return analyse(events, {rule, false}).all.temporary;
}

TEST_CASE("of two equal peaks the first one counts") {
    const trace_analysis a =
        analyse({at(1, got, 0x10, 100, 1), at(2, gave, 0x10, 0, 0), at(3, got, 0x20, 100, 2)});
    CHECK(a.peak_ns == 1);
    CHECK(site_of(a, 1).live_at_peak == 1);
    CHECK(site_of(a, 2).live_at_peak == 0);
}

TEST_CASE("a temporary block is released by the very next call, or after so many allocations") {
    // A vector that grows: the new block comes before the old one goes.
    const std::vector<event> grows{at(1, got, 0x10, 8, 1),  at(2, got, 0x20, 16, 1), at(3, gave, 0x10, 0, 0),
                                   at(4, got, 0x30, 32, 1), at(5, gave, 0x20, 0, 0), at(6, gave, 0x30, 0, 0)};
    CHECK(temporary_with(grows, {}) == 0);
    CHECK(temporary_with(grows, {0}) == 1); // the last one: a release lies between, and no allocation
    CHECK(temporary_with(grows, {1}) == 3);
    const std::vector<event> nested{at(1, got, 0x10, 8, 1), at(2, got, 0x20, 8, 2), at(3, gave, 0x20, 0, 0),
                                    at(4, gave, 0x10, 0, 0)};
    CHECK(temporary_with(nested, {}) == 1);
    CHECK(temporary_with(nested, {0}) == 1);
    CHECK(temporary_with(nested, {1}) == 2);
}

TEST_CASE("another thread's release makes no block temporary, and its allocations do not count") {
    const std::vector<event> remote{at(1, got, 0x10, 8, 1, 0), at(2, gave, 0x10, 0, 0, 1)};
    CHECK(temporary_with(remote, {}) == 0);
    CHECK(temporary_with(remote, {5}) == 0);
    const std::vector<event> apart{at(1, got, 0x10, 8, 1, 0), at(2, got, 0x20, 8, 1, 1),
                                   at(3, got, 0x30, 8, 1, 1), at(4, gave, 0x10, 0, 0, 0)};
    CHECK(temporary_with(apart, {}) == 1);
    CHECK(temporary_with(apart, {0}) == 1);
}

TEST_CASE("an address that another thread got again is not the temporary block of before") {
    const std::vector<event> again{at(1, got, 0x10, 8, 1, 0), at(2, gave, 0x10, 0, 0, 1),
                                   at(3, got, 0x10, 8, 2, 1), at(4, gave, 0x10, 0, 0, 0)};
    CHECK(temporary_with(again, {3}) == 0);
}

TEST_CASE("a block that gets another size lives on") {
    std::vector<event> resized{at(1, got, 0x10, 8, 1), at(2, event_kind::reallocation, 0x10, 80, 1),
                               at(3, gave, 0x10, 0, 0)};
    resized[1].old_address = 0x10;
    CHECK(temporary_with(resized, {}) == 0);
    CHECK(temporary_with(resized, {4}) == 0);
}

TEST_CASE("the most allocations between that the rule takes are counted to the last one") {
    std::vector<event> events{at(1, got, 0x10, 8, 1)};
    for (std::uint64_t i = 0; i != most_temporary_between; ++i) {
        events.push_back(at(2 + i, got, 0x1000 + 16 * i, 8, 2));
    }
    events.push_back(at(5000, gave, 0x10, 0, 0));
    CHECK(temporary_with(events, {most_temporary_between}) == 1);
    CHECK(temporary_with(events, {most_temporary_between - 1}) == 0);
}

TEST_CASE("the order of time keeps every sum, whatever the length of the run") {
    for (const std::uint64_t step : {1U, 1000U, 100'000'000U}) {
        CAPTURE(step);
        order_recorder order;
        std::mt19937_64 random{step};
        std::map<std::uint32_t, std::uint64_t> bytes;
        std::uint64_t all = 0;
        std::uint64_t time = 0;
        for (int i = 0; i != 60'000; ++i) {
            time += random() % (2 * step);
            const auto site = static_cast<std::uint32_t>(1 + random() % 500 * (random() % 2));
            const std::uint64_t n = 1 + random() % 100;
            order.allocated(time, site, 1, n);
            bytes[site] += n;
            all += n;
            if (i % 3 == 0) {
                order.was_temporary(site);
            }
        }
        const allocation_order result = order.finish();
        CHECK(result.steps.size() <= order_recorder::most_steps);
        CHECK(result.steps.size() * result.step_ns >= time);
        CHECK((result.steps.size() - 1) * result.step_ns <= time);
        std::uint64_t count = 0;
        std::uint64_t sum = 0;
        std::uint64_t temporary = 0;
        for (const auto& one : result.steps) {
            CHECK(one.size() <= 2 * order_recorder::most_sites + 1);
            std::set<std::uint32_t> seen;
            for (std::size_t i = 0; i != one.size(); ++i) {
                CHECK(seen.insert(one[i].site).second);
                count += one[i].allocations;
                sum += one[i].bytes;
                temporary += one[i].temporary;
            }
        }
        CHECK(count == 60'000);
        CHECK(sum == all);
        CHECK(temporary == 20'000);
    }
}

TEST_CASE("within a step sites stand by their first allocation, also after steps were joined") {
    order_recorder order;
    for (const std::uint32_t site : {7U, 3U, 9U, 3U, 7U}) {
        order.allocated(0, site, 1, 1);
    }
    order.allocated(10'000'000, 1, 1, 1); // far away: the first step is joined with those behind it
    const allocation_order result = order.finish();
    REQUIRE(!result.steps.empty());
    CHECK(result.steps.front() == std::vector<ordered_site>{{7, 2, 2, 0}, {3, 2, 2, 0}, {9, 1, 1, 0}});
}

TEST_CASE("steps of the order lie where their time is") {
    order_recorder order;
    // One site a thousand steps of the first width long, the other once, at three quarters.
    for (std::uint64_t time = 0; time != 1'000'000; time += 100) {
        order.allocated(time, 1, 1, 1);
        if (time == 750'000) {
            order.allocated(time, 2, 1, 1);
        }
    }
    const allocation_order result = order.finish();
    for (std::size_t i = 0; i != result.steps.size(); ++i) {
        for (const ordered_site& s : result.steps[i]) {
            if (s.site == 2) {
                CHECK(i == 750'000 / result.step_ns);
            }
        }
    }
}

TEST_CASE("the sites of the order are those of the analysis, after these were sorted") {
    const trace_analysis a = analyse(
        {at(1, got, 0x10, 8, 7), at(2, got, 0x20, 100, 9), at(3, got, 0x30, 100, 9), at(4, gave, 0x30, 0, 0)},
        {{}, true});
    REQUIRE(a.order.steps.size() == 1);
    for (const ordered_site& s : a.order.steps[0]) {
        const site_statistics& of = a.sites.at(s.site).statistics;
        CHECK(s.allocations == of.allocations);
        CHECK(s.bytes == of.bytes);
        CHECK(s.temporary == of.temporary);
    }
    CHECK(analyse({at(1, got, 0x10, 8, 7)}).order.steps.empty());
}

} // namespace linn::tool::analysis_views_tests
