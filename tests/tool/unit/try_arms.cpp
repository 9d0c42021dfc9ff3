// SPDX-License-Identifier: Apache-2.0
// The forms that pools are tried in: each is a plan that the preloaded library reads.
#include "advise/advice.hpp"
#include "scratch_folder.hpp"
#include "trace_of_types.hpp"
#include "try/arms.hpp"
#include "unit.hpp"

#include <numeric>

namespace linn::tool::try_arms_tests {

using linn::tool::testing::scratch_folder;

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
    CHECK(every.mode == "sizes");
    const pool_plan plan = read_back(every);
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
    found.list[0].peak_live = found.list[2].peak_live = (1 << 20) / 48 + 1;
    CHECK_FALSE(ask(arm_of_types));
    CHECK(ask(arm_by_size));
    found.list[0].peak_live = (2 << 20) / 48 + 1;
    CHECK(ask(arm_of_types));
}

} // namespace linn::tool::try_arms_tests
