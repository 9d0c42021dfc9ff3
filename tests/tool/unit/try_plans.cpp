// SPDX-License-Identifier: Apache-2.0
// From a trace to a plan: a call that is one type's is a site, one that several share is told by its caller or left out with
// the reason. Each form that pools are tried in is a plan that the preloaded library reads.
#include "advise/advice.hpp"
#include "scratch_folder.hpp"
#include "trace_of_types.hpp"
#include "try/candidates.hpp"
#include "unit.hpp"

#include <numeric>

namespace linn::tool::try_plans_tests {

using linn::tool::testing::runtime_library;
using linn::tool::testing::scratch_folder;
using linn::tool::testing::shop;
using linn::tool::testing::trace_of_types;

void check_left_out(const try_candidates& found, const std::string& reason) {
    CHECK(found.list.empty());
    REQUIRE(found.left_out.size() == 1);
    CAPTURE(found.left_out.front().reason);
    CHECK(found.left_out.front().reason.find(reason) != std::string::npos);
}

TEST_CASE("a type whose calls are its own has a pool, and a site for each call") {
    trace_of_types trace;
    trace.add("order", {{shop, 0x1000}, {shop, 0x5000}}, 72, 1000);
    trace.add("order", {{shop, 0x1000}, {shop, 0x6000}}, 72, 500); // the same call, from elsewhere
    trace.add("order", {{shop, 0x2000}}, 72, 100);
    trace.add("trade", {{shop, 0x3000}}, 40, 1000);
    const try_candidates found = trace.find();
    REQUIRE(found.list.size() == 2);
    CHECK(found.left_out.empty());
    CHECK(found.list[0].allocations == 1600);
    REQUIRE(found.list[0].sites.size() == 2);
    const plan_site& site = found.list[0].sites[0];
    CHECK(site.pool == "order");
    CHECK(site.size == 72);
    CHECK(site.call.module == "shop");
    CHECK(site.call.offset == 0x1000);
    CHECK_FALSE(site.caller);
    CHECK(site.note == "order.cpp:7");

    // What is written is a plan, of the chosen alone.
    const scratch_folder folder;
    const std::filesystem::path file = folder.file("plan.toml", plan_text(arm_of_types(found, {1}).plan));
    const pool_plan plan = read_plan_file(file);
    CHECK(plan == arm_of_types(found, {1}).plan);
    REQUIRE(plan.sites.size() == 1);
    CHECK(plan.sites[0].pool == "trade");
    REQUIRE(plan.modules.size() == 1);
    CHECK(plan.modules[0].build_id == std::vector<unsigned char>{1, 2});
}

TEST_CASE("slots have room for what most reallocs ask for") {
    struct resized_type {
        std::uint64_t reallocations;
        std::vector<std::pair<std::uint64_t, std::uint64_t>> resized;
        unsigned room;
    };
    const resized_type cases[] = {
        {500, {{32, 500}}, 32},
        {499, {{32, 499}}, 0}, // most are never resized
        {1000, {{32, 500}, {48, 450}, {4096, 50}}, 48},
        {1000, {{32, 500}, {4096, 500}}, 0},
        {500, {{64, 500}}, 64},
        {500, {{65, 500}}, 0}, // more than four times as large
        {500, {{8, 500}}, 0},  // they shrink
    };
    for (const resized_type& c : cases) {
        trace_of_types trace;
        trace.add("array", {{shop, 0x1000}}, 16, 1000, allocation_call::realloc);
        site_statistics& s = trace.a.analysis.sites[0].statistics;
        s.reallocations = c.reallocations;
        s.resized = c.resized;
        const try_candidates found = trace.find();
        REQUIRE(found.list.size() == 1);
        REQUIRE(found.list[0].pools.size() == 1);
        CAPTURE(c.reallocations);
        CAPTURE(c.resized.size());
        CHECK(found.list[0].pools[0].room == c.room);
        const pool_plan plan = arm_of_types(found, {0}).plan;
        CHECK(slot_bytes(plan, plan.pools[0]) == std::max(16u, (c.room + 15) / 16 * 16));
        CHECK(plan.sites[0].size == 16);
    }
}

// python3 -c "..." with PYTHONMALLOC=malloc ended with "map::at".
TEST_CASE("a call whose blocks grow from one stack and not from another has one pool") {
    trace_of_types trace;
    trace.add("array", {{shop, 0x1000}, {shop, 0x5000}}, 16, 1000, allocation_call::realloc);
    trace.add("array", {{shop, 0x1000}, {shop, 0x6000}}, 16, 500, allocation_call::realloc);
    site_statistics& grows = trace.a.analysis.sites[0].statistics;
    grows.reallocations = 1000;
    grows.resized = {{32, 1000}};
    const try_candidates found = trace.find();
    REQUIRE(found.list.size() == 1);
    CHECK(found.list[0].sites.size() == 1);
    REQUIRE(found.list[0].pools.size() == 1);
    CHECK(found.list[0].pools[0].room == 32);
}

TEST_CASE("a call that several types share is told by its caller") {
    trace_of_types trace;
    trace.add("order", {{shop, 0x1000}, {shop, 0x5000}}, 72, 1000, allocation_call::malloc);
    trace.add("trade", {{shop, 0x1000}, {shop, 0x6000}}, 72, 1000, allocation_call::malloc);
    const try_candidates found = trace.find();
    REQUIRE(found.list.size() == 2);
    for (const try_candidate& c : found.list) {
        REQUIRE(c.sites.size() == 1);
        CHECK(c.sites[0].stack == 24);
        REQUIRE(c.sites[0].caller);
        CHECK(c.sites[0].caller->offset == (c.label == "order" ? 0x5000 : 0x6000));
    }
    SUBCASE("or they have one pool together, where it lies at no constant place") {
        const try_candidates one = trace.find({}, std::nullopt);
        CHECK(one.left_out.empty());
        REQUIRE(one.list.size() == 1);
        const try_candidate& c = one.list[0];
        CHECK(c.label == "72-byte blocks at shop+0x1000");
        CHECK(c.types == std::vector<std::string>{"order", "trade"});
        CHECK(c.allocations == 2000);
        CHECK(c.share == 1);
        REQUIRE(c.sites.size() == 1);
        CHECK_FALSE(c.sites[0].caller);
        CHECK(c.sites[0].size == 72);
        REQUIRE(c.pools.size() == 1);
    }
    SUBCASE("but not, where somebody else frees their blocks") {
        trace.a.analysis.sites[1].statistics.unseen_releases = 500;
        const try_candidates none = trace.find({}, std::nullopt);
        CHECK(none.list.empty());
        REQUIRE(none.left_out.size() == 2);
        CHECK(none.left_out[0].reason ==
              "other types of its size come from the same call, at shop+0x1000, whose caller "
              "lies at no constant place of the stack");
    }
    SUBCASE("or not, where that is shared too") {
        trace.add("price", {{shop, 0x1000}, {shop, 0x6000}}, 72, 1000, allocation_call::malloc);
        const try_candidates some = trace.find();
        CHECK(some.list.size() == 1); // one call in a plan has its blocks by the caller, or all of them
        CHECK(some.left_out.size() == 2);
    }
}

TEST_CASE("of a call with several sizes each type has its own") {
    trace_of_types trace;
    trace.add("order", {{shop, 0x1000}}, 72, 1000, allocation_call::malloc);
    trace.add("trade", {{shop, 0x1000}}, 40, 1000, allocation_call::malloc);
    const try_candidates found = trace.find();
    REQUIRE(found.list.size() == 2);
    CHECK_FALSE(found.list[0].sites[0].caller);
    CHECK_FALSE(found.list[1].sites[0].caller);
}

TEST_CASE("a type whose blocks have several sizes has a pool for each, if half of its blocks have one") {
    trace_of_types trace;
    trace.add("text", {{shop, 0x1000}}, 24, 300);
    trace.add("text", {{shop, 0x2000}}, 40, 300);
    trace.add("text", {{shop, 0x3000}}, 2000, 600);
    trace.add("other", {{shop, 0x4000}}, 24, 300);
    trace.add("other", {{shop, 0x5000}}, 40, 300);
    trace.a.types[1].name = "text";
    trace.a.types[1].statistics.peak_live = 100'000;
    const try_candidates found = trace.find();
    REQUIRE(found.list.size() == 2);
    CHECK(found.list[0].allocations == 1200);
    CHECK(found.list[1].pools[0].name != found.list[1].pools[1].name);
    CHECK(found.list[1].pools[0].peak_live == 50'000);
    CHECK(found.list[0].pools.size() == 2);
    CHECK(found.list[0].sites.size() == 2);
}

TEST_CASE("what cannot be tried is left out with the reason") {
    trace_of_types trace;
    SUBCASE("large") {
        trace.add("page", {{shop, 0x1000}}, 1009, 1000);
        check_left_out(trace.find(), "larger than 1008 bytes");
    }
    SUBCASE("many sizes") {
        advised_type& text = trace.add("text", {{shop, 0x1000}}, 24, 400);
        text.statistics.allocations = 1000;
        check_left_out(trace.find(), "many sizes");
    }
    SUBCASE("aligned") {
        trace.add("line", {{shop, 0x1000}}, 64, 1000, allocation_call::operator_new_aligned);
        check_left_out(trace.find(), "over-aligned");
    }
    SUBCASE("another build") {
        trace.add("string", {{runtime_library, 0x1000}}, 64, 1000);
        check_left_out(trace.find(), "another build than the recorded one");
    }
    SUBCASE("a release that nobody saw") {
        trace.add("node", {{shop, 0x1000}}, 64, 1000).statistics.unseen_releases = 2;
        check_left_out(trace.find(), "freed in a way that the recorder did not see");
    }
    SUBCASE("no stack") {
        trace.add("node", {}, 64, 1000);
        check_left_out(trace.find(), "no stack");
    }
}

TEST_CASE("every type is a candidate however rare, most allocations first, and --type chooses") {
    trace_of_types trace;
    trace.add("rarest", {{shop, 0x3000}}, 32, 1);
    for (unsigned i = 0; i != 100; ++i) {
        trace.add("type" + std::to_string(i), {{shop, 0x1000 + i}}, 16 + 16 * (i % 5), 100'000 + i);
    }
    const try_candidates found = trace.find();
    REQUIRE(found.list.size() == 101);
    CHECK(found.left_out.empty());
    CHECK(found.list.front().label == "type99");
    CHECK(found.list.back().label == "rarest");
    // What is few may take most time.
    trace.a.analysis.time.why_not = time_unknown::none;
    trace.a.types.front().statistics.time.calls = 0.1;
    const try_candidates timed = trace.find();
    CHECK(timed.list.front().label == "rarest");
    CHECK(timed.list.front().time_share == doctest::Approx(0.1));
    candidate_options one;
    one.types = {"rarest"};
    CHECK(trace.find(one).list.size() == 1);
}

TEST_CASE("litter has the sizes of the trace, as many of each as live at once, within bounds") {
    trace_of_types trace;
    trace.add("order", {{shop, 0x1000}}, 72, 1000);
    trace.add("trade", {{shop, 0x2000}}, 40, 1000);
    trace.add("page", {{shop, 0x3000}}, 100'000, 1000); // has pages of its own
    for (analysed_site& site : trace.a.analysis.sites) {
        site.statistics.peak_live = 500;
    }
    trace.a.analysis.sites[0].statistics.peak_live = 1000;
    const auto bytes_of = [](const std::vector<probe::litter_size>& sizes) {
        std::uint64_t bytes = 0;
        for (const probe::litter_size& s : sizes) {
            bytes += std::uint64_t{s.blocks} * (s.bytes + 16);
        }
        return bytes;
    };
    const std::vector<probe::litter_size> sizes = litter_of(trace.a.analysis);
    REQUIRE(sizes.size() == 2);
    CHECK(sizes[0].bytes == 72);
    CHECK(sizes[1].bytes == 40);
    CHECK(sizes[0].blocks == doctest::Approx(2.0 * sizes[1].blocks).epsilon(0.001));
    CHECK(bytes_of(sizes) == doctest::Approx(16 << 20).epsilon(0.001)); // 58 KiB live: little
    trace.a.analysis.sites[0].statistics.peak_live = 500'000;
    const std::uint64_t twice = 2 * (500'000 * 88 + 500 * 56);
    CHECK(bytes_of(litter_of(trace.a.analysis)) ==
          doctest::Approx(static_cast<double>(twice)).epsilon(0.001));
    trace.a.analysis.sites[0].statistics.peak_live = 500'000'000;
    CHECK(bytes_of(litter_of(trace.a.analysis)) == doctest::Approx(256 << 20).epsilon(0.001));

    CHECK(trace.find().litter.empty());
    candidate_options options;
    options.wants_litter = true;
    CHECK_FALSE(trace.find(options).litter.empty());
}

try_candidates candidates_of(const std::vector<unsigned>& sizes) {
    try_candidates all;
    all.modules = {{"shop", {1, 2}}, {"libother.so", {3}}};
    for (const unsigned size : sizes) {
        const std::size_t n = all.list.size();
        all.list.push_back(testing::made_candidate("type" + std::to_string(n), size, 0x1000 * (n + 1)));
    }
    return all;
}

std::vector<std::size_t> all_of(const try_candidates& candidates) {
    std::vector<std::size_t> all(candidates.list.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
}

pool_plan read_back(const try_arm& arm) {
    const scratch_folder folder;
    return read_plan_file(folder.file("plan.toml", plan_text(arm.plan)));
}

std::vector<std::string> names_of(const std::vector<try_arm>& arms) {
    std::vector<std::string> names;
    for (const try_arm& arm : arms) {
        names.push_back(arm.name);
    }
    return names;
}

TEST_CASE("with a pool for each type every type has its own, and with one for each size those of one size "
          "share it") {
    const try_candidates found = candidates_of({48, 64, 40, 48});
    const try_arm types = arm_of_types(found, all_of(found));
    CHECK(read_back(types).pools.size() == 4);
    CHECK(types.served.size() == 4);
    REQUIRE(types.plan.modules.size() == 1); // of those that the sites lie in
    const try_arm sizes = arm_by_size(found, all_of(found));
    const pool_plan plan = read_back(sizes);
    CHECK(plan.pools.size() == 2);
    CHECK(plan.sites.size() == 4);
    CHECK(plan.sites[2].pool == "type0");
    CHECK(plan.sites[3].pool == "type0");
    CHECK(arm_of_types(found, {1}).plan == arm_by_size(found, {1}).plan);
}

TEST_CASE("a plan serves any number of types: those that come last share a pool for each size") {
    std::vector<unsigned> sizes;
    for (unsigned i = 0; i != 300; ++i) {
        sizes.push_back(16 + 16 * (i % 63)); // all 63 sizes, one more than a plan has pools
    }
    const try_candidates found = candidates_of(sizes);
    for (const try_arm& arm : {arm_of_types(found, all_of(found)), arm_by_size(found, all_of(found))}) {
        CAPTURE(arm.name);
        const pool_plan plan = read_back(arm);
        CHECK(plan.sites.size() == 300);
        CHECK(plan.pools.size() <= most_planned_pools);
        CHECK(plan.pools.size() >= 60);
        for (const plan_pool& pool : plan.pools) {
            std::set<unsigned> slots;
            for (const plan_site& site : plan.sites) {
                if (site.pool == pool.name) {
                    slots.insert(site.size);
                }
            }
            CHECK((slots.size() == 1 || slots == std::set<unsigned>{992, 1008}));
        }
    }
    // Where there is room, the first types have their own.
    const try_candidates few = candidates_of(std::vector<unsigned>(100, 48));
    const pool_plan plan = arm_of_types(few, all_of(few)).plan;
    CHECK(plan.pools.size() == most_planned_pools);
    CHECK(plan.sites[60].pool == "type60");
    CHECK(plan.sites[61].pool == "type61");
    CHECK(plan.sites[99].pool == "type61");
    CHECK(plan.pools[61].note == "for 39 types of one size");
}

TEST_CASE("every block by its size: the plan names all sizes that there are pools for, and no call") {
    const try_arm every = arm_of_every_block();
    const pool_plan plan = read_back(every);
    CHECK(plan.serves_every_call);
    CHECK(plan.sites.size() == most_planned_pools);
    CHECK(plan.sites.back().size == 992);
}

TEST_CASE("parts are all without one type, and that one alone, in the form of all") {
    const try_candidates found = candidates_of({48, 48, 64});
    const try_arm all = arm_by_size(found, all_of(found));
    const std::vector<try_arm> parts = arms_of_parts(found, all, 2);
    CHECK(names_of(parts) == std::vector<std::string>{"without-1", "alone-1", "without-2", "alone-2"});
    CHECK(parts[0].served == std::vector<std::size_t>{1, 2});
    CHECK(parts[0].plan.pools.size() == 2);
    CHECK(parts[1].served == std::vector<std::size_t>{0});
    CHECK(read_back(parts[1]).sites.size() == 1);
    const try_arm two = arm_of_types(found, {0, 2});
    CHECK(names_of(arms_of_parts(found, two, 6)) == std::vector<std::string>{"without-1", "without-3"});
    CHECK(arms_of_parts(found, arm_of_types(found, {0}), 6).empty());
}

TEST_CASE("pools of 2 MiB ask for huge pages, alone or together") {
    try_candidates found = candidates_of({48, 64, 40});
    const auto ask = [&](auto arm_of) {
        return arm_of(found, all_of(found)).plan.pools.front().wants_huge_pages;
    };
    found.list[0].pools[0].peak_live = found.list[2].pools[0].peak_live = (1 << 20) / 48 + 1;
    CHECK_FALSE(ask(arm_of_types));
    CHECK(ask(arm_by_size));
    found.list[0].pools[0].peak_live = (2 << 20) / 48 + 1;
    CHECK(ask(arm_of_types));
}

} // namespace linn::tool::try_plans_tests
