// SPDX-License-Identifier: Apache-2.0
// From sums and samples to shares of the CPU time; each field by hand.
#include "../support/made_events.hpp"
#include "analysis/accumulator.hpp"
#include "unit.hpp"

namespace linn::tool::allocation_time_tests {

/// A thousand million ticks, of which 100 000 calls take 1000 each: a tenth.
trace_info recorded() {
    trace_info info;
    info.counter = counter_state::steady;
    info.ticks_per_ns = 2;
    info.baseline.cpu_ns = 500e6;
    info.events = 100'000;
    call_times& t = info.baseline.times;
    t.samples = 3000;
    t.plain_calls = t.fenced_calls = 50'000;
    t.nothing_plain = t.nothing_fenced = 100;
    t.nothing_plain_ticks = 100 * 40;
    t.nothing_fenced_ticks = 100 * 200 / 3.0;
    t.plain_ticks = 50'000 * 1030.0;
    t.fenced_ticks = 50'000 * 1050.0;
    t.squares = 3000 * 32'000.0 * 32'000.0;
    return info;
}

TEST_CASE("a share is what the calls took, without the readings") {
    const allocation_time t = time_of(recorded(), {});
    REQUIRE(t.is_known());
    CHECK(t.share == doctest::Approx(0.1));
    CHECK(t.calls == doctest::Approx(0.1));
    CHECK(t.page_faults == 0);
    CHECK(t.low < 0.1);
    CHECK(t.high > 0.1);
    CHECK(t.low > 0.09);
    CHECK(t.high < 0.11);
}

TEST_CASE("readings that differ widen the interval") {
    trace_info info = recorded();
    info.baseline.times.fenced_ticks += 50'000 * 1000.0;
    const allocation_time t = time_of(info, {});
    REQUIRE(t.is_known());
    CHECK(t.low < 0.1);
    CHECK(t.high > 0.14);
}

TEST_CASE("without a second run the program may have taken less CPU time than is left, but no more") {
    trace_info info = recorded();
    info.times = info.baseline.times;
    info.baseline = {};
    info.event_cost_ns = 5000;
    info.user_ns = 1000e6; // half of it is the recorder's, or 30 % more
    const allocation_time t = time_of(info, {});
    REQUIRE(t.is_known());
    CHECK(t.share == doctest::Approx(0.1));
    CHECK(t.low > 0.09);
    CHECK(t.high == doctest::Approx(0.135).epsilon(0.05));
    site_time half{.ticks = 50e6};
    take_share(half, allocation_time{.each_tick = 1e-9, .unknown_above = t.unknown_above});
    CHECK(half.share().low == doctest::Approx(0.05));
    CHECK(half.share().high == doctest::Approx(0.065));
}

TEST_CASE("calls that lost the processor count as the others") {
    trace_info info = recorded();
    info.baseline.times.left_out = 1500;
    CHECK(time_of(info, {}).share == doctest::Approx(0.2));
}

TEST_CASE("page faults in calls are told apart, and not counted twice outside") {
    trace_info info = recorded();
    call_times& t = info.baseline.times;
    t.long_calls = 10'000;
    t.looked_long = t.faults_long = 100;
    t.fault_ticks = 100 * 3000.0;
    t.faults_before = 50;
    info.baseline.page_faults = 15'050;
    site_time all;
    all.fresh_pages = 1e9;
    allocation_time found = time_of(info, all);
    REQUIRE(found.is_known());
    CHECK(found.faults == 15'000);
    CHECK(found.calls == doctest::Approx(0.07));        // less 10 000 * 3000 ticks
    CHECK(found.page_faults == doctest::Approx(0.045)); // 15 000 * 3000 ticks
    CHECK(found.share == doctest::Approx(0.115));       // those outside are added
    all.fresh_pages = 12'000;
    found = time_of(info, all);
    CHECK(found.faults == 12'000); // no more than there were pages with blocks
    info.baseline.page_faults = 4'050;
    found = time_of(info, all);
    CHECK(found.faults == 4'000); // no more than the program had
    CHECK(found.calls == doctest::Approx(0.088));
}

TEST_CASE("what cannot be known is not") {
    const auto why = [](auto change) {
        trace_info info = recorded();
        change(info);
        const allocation_time t = time_of(info, {});
        CHECK(!t.is_known());
        return t.why_not;
    };
    CHECK(why([](trace_info& i) { i.counter = counter_state::unknown; }) == time_unknown::not_recorded);
    CHECK(why([](trace_info& i) { i.counter = counter_state::not_constant; }) == time_unknown::no_counter);
    CHECK(why([](trace_info& i) { i.baseline.times.backwards = 100; }) == time_unknown::counter_jumps);
    CHECK(why([](trace_info& i) { i.baseline.cpu_ns = 0; }) == time_unknown::no_cpu_time);
    CHECK(why([](trace_info& i) { i.baseline.times.samples = 3; }) == time_unknown::few_samples);
}

TEST_CASE("few samples of few calls are enough to say that it is little") {
    trace_info info = recorded();
    info.events = 200;
    info.baseline.times = {};
    info.baseline.times.samples = 4;
    info.baseline.times.plain_calls = info.baseline.times.fenced_calls = 64;
    const allocation_time t = time_of(info, {});
    REQUIRE(t.is_known());
    CHECK(t.high < 0.02);
    info.baseline.times = {};
    CHECK(time_of(info, {}).why_not == time_unknown::few_samples); // none is no measurement
}

TEST_CASE("the sites add up to the whole, and a release counts for the site of its block") {
    trace_info info = recorded();
    using testing::allocation;
    std::vector<event> events{allocation(0x1000, 64, 0), allocation(0x2000, 64, 0, 0, 2),
                              testing::release(0x2000, 0), allocation(0x3000, 64, 0)};
    events[0].timing = {100, 32, false};
    events[3].release_timing = {300, 32, false}; // of the release before
    accumulator counted;
    counted.take(events);
    const trace_analysis a = counted.finish(info);
    REQUIRE(a.time.is_known());
    REQUIRE(a.sites.size() == 2);
    const site_time& first = a.sites[0].statistics.time; // by allocations
    const site_time& second = a.sites[1].statistics.time;
    CHECK(first.calls == doctest::Approx(0.025));
    CHECK(second.calls == doctest::Approx(0.075));
    CHECK(second.share().low <= second.share().value);
    CHECK(a.all.time.calls == doctest::Approx(a.time.share));
}

TEST_CASE("a page is new once, or again when a mapped block went") {
    page_set pages;
    CHECK(pages.add(0x10'0000, 64) == 1);
    CHECK(pages.add(0x10'0ff0, 64) == 1);
    CHECK(pages.add(0x10'0040, 8192) == 1);
    CHECK(pages.add(0x8000'0010, 1 << 20) == 257);
    CHECK(pages.add(0x8000'0010, 1 << 20) == 0);
    pages.remove(0x8000'0010, 1 << 20);
    CHECK(pages.add(0x8000'0010, 1 << 20) == 257);
}

} // namespace linn::tool::allocation_time_tests
