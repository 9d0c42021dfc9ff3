// SPDX-License-Identifier: Apache-2.0
// What a recording can be filtered by: blocks that were live at the peak, temporary ones by both rules.
#include "analysis/accumulator.hpp"
#include "unit.hpp"

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

trace_analysis analyse(const std::vector<event>& events, temporary_rule rule = {}) {
    accumulator a{event_times::exact, {}, rule};
    a.take(events);
    return a.finish({});
}

site_statistics site_of(const trace_analysis& a, std::uint32_t stack) {
    const auto found = std::find_if(a.sites.begin(), a.sites.end(),
                                    [&](const analysed_site& s) { return s.stack == stack; });
    return found == a.sites.end() ? site_statistics{} : found->statistics;
}

std::uint64_t temporary_with(const std::vector<event>& events, temporary_rule rule) {
    return analyse(events, rule).all.temporary;
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

} // namespace linn::tool::analysis_views_tests
