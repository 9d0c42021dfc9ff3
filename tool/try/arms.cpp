// SPDX-License-Identifier: Apache-2.0
#include "../symbols/cxx_name.hpp"
#include "candidates.hpp"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <set>
#include <system_error>

namespace linn::tool {
namespace {

constexpr unsigned slot_step = 16;
constexpr unsigned largest_own_slot = most_planned_pools * slot_step; ///< larger slots share its pool

unsigned size_class_of(const pool_plan& plan, const plan_pool& pool) {
    return std::min(slot_bytes(plan, pool), largest_own_slot);
}

void ask_for_huge_pages(pool_plan& plan) {
    for (plan_pool& pool : plan.pools) {
        pool.wants_huge_pages = is_worth_huge_pages(pool.peak_live, slot_bytes(plan, pool));
    }
}

/// The pools from `first` on as one for each size; the others stay.
pool_plan shared_by_size(const pool_plan& from, std::size_t first) {
    pool_plan to = from;
    to.pools.clear();
    std::vector<std::size_t> types; // of each pool
    std::map<unsigned, std::size_t> of_class;
    std::map<std::string, std::string> now; // by the name of the pool that it was
    for (std::size_t i = 0; i != from.pools.size(); ++i) {
        const plan_pool& was = from.pools[i];
        std::size_t place = to.pools.size();
        if (i >= first) {
            place = of_class.try_emplace(size_class_of(from, was), place).first->second;
        }
        if (place == to.pools.size()) {
            to.pools.push_back(was);
            types.push_back(1);
        } else {
            plan_pool& pool = to.pools[place];
            pool.room = std::max(pool.room, was.room);
            pool.peak_live += was.peak_live;
            pool.note = fmt::format("for {} types of one size", ++types[place]);
        }
        now[was.name] = to.pools[place].name;
    }
    for (plan_site& site : to.sites) {
        site.pool = now.at(site.pool);
    }
    ask_for_huge_pages(to);
    return to;
}

/// As many pools of the types' own as there is room for next to those that the rest shares.
pool_plan limited(const pool_plan& plan) {
    std::size_t own = plan.pools.size();
    std::set<unsigned> shared;
    while (own + shared.size() > most_planned_pools) {
        shared.insert(size_class_of(plan, plan.pools[--own]));
    }
    return shared.empty() ? plan : shared_by_size(plan, own);
}

pool_plan own_pools(const try_candidates& candidates, const std::vector<std::size_t>& which) {
    pool_plan plan;
    std::set<std::string> used;
    for (const std::size_t i : which) {
        const try_candidate& c = candidates.list[i];
        plan.pools.insert(plan.pools.end(), c.pools.begin(), c.pools.end());
        plan.sites.insert(plan.sites.end(), c.sites.begin(), c.sites.end());
        for (const plan_site& site : c.sites) {
            used.insert(site.call.module);
            if (site.caller) {
                used.insert(site.caller->module);
            }
        }
    }
    std::ranges::copy_if(candidates.modules, std::back_inserter(plan.modules),
                         [&](const plan_module& module) { return used.contains(module.name); });
    ask_for_huge_pages(plan);
    return plan;
}

bool is_by_size(const try_arm& arm) {
    return arm.name == by_size_arm;
}

pool_plan plan_for(const try_candidates& candidates, const std::vector<std::size_t>& which, bool by_size) {
    const pool_plan own = own_pools(candidates, which);
    return by_size ? shared_by_size(own, 0) : limited(own);
}

} // namespace

try_arm arm_of_types(const try_candidates& candidates, std::vector<std::size_t> which) {
    pool_plan plan = plan_for(candidates, which, false);
    return {std::string{types_arm}, "a pool for each type", std::move(plan), "on", std::move(which)};
}

try_arm arm_by_size(const try_candidates& candidates, std::vector<std::size_t> which) {
    pool_plan plan = plan_for(candidates, which, true);
    return {std::string{by_size_arm}, "a pool for each size", std::move(plan), "on", std::move(which)};
}

try_arm arm_of_every_block() {
    try_arm arm{std::string{every_arm}, "every block by size", {}};
    arm.plan.serves_every_call = true;
    arm.plan.note = "the sites only name the sizes";
    arm.plan.modules = {{"every module", {0}}};
    arm.plan.pools = {{.name = "every size"}};
    for (unsigned size = slot_step; size <= largest_own_slot; size += slot_step) {
        plan_site& site = arm.plan.sites.emplace_back();
        site.pool = arm.plan.pools.front().name;
        site.size = size;
        site.call = {"every module", most_code_bytes, {}};
    }
    return arm;
}

try_arm arm_without_pools(const pool_plan& plan) {
    return {std::string{empty_arm}, "empty plan", plan, "empty"};
}

std::vector<try_arm> arms_of_parts(const try_candidates& candidates, const try_arm& all,
                                   std::size_t leading) {
    std::vector<try_arm> arms;
    if (all.served.size() < 2) {
        return arms;
    }
    for (std::size_t n = 0; n != std::min(leading, all.served.size()); ++n) {
        const std::size_t i = all.served[n];
        std::vector<std::size_t> others = all.served;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(n));
        const std::string& label = candidates.list[i].label;
        arms.push_back({fmt::format("without-{}", i + 1), "without " + label,
                        plan_for(candidates, others, is_by_size(all)), "on", others, i});
        if (all.served.size() > 2) { // the rest of two is the other one alone
            arms.push_back({fmt::format("alone-{}", i + 1),
                            label + " alone",
                            plan_for(candidates, {i}, is_by_size(all)),
                            "on",
                            {i}});
        }
    }
    return arms;
}

namespace {

namespace fs = std::filesystem;

constexpr const char* statistics_prefix = "stats.";

pool_settings settings_of(const try_arm& arm, const try_place& place) {
    pool_settings settings;
    settings.plan = place.folder / (arm.name + ".plan");
    settings.mode = arm.mode;
    write_file(settings.plan, compiled_plan(arm.plan));
    return settings;
}

/// Adds the hits of one process; false when the file is none of ours.
bool add_hits(const fs::path& file, const try_candidates& candidates, const try_arm& arm,
              std::vector<std::uint64_t>& hits) {
    std::ifstream in{file};
    const nlohmann::json all = nlohmann::json::parse(in, nullptr, false);
    if (!all.is_object() || !all.contains("sites")) {
        return false;
    }
    std::size_t site = 0; // in the order of the plan, so in that of the candidates
    for (std::size_t i = 0; i != hits.size(); ++i) {
        for (std::size_t n = candidates.list[arm.served[i]].sites.size();
             n != 0 && site != all["sites"].size(); --n) {
            if (const nlohmann::json& count = all["sites"][site++]["hits"]; count.is_number_unsigned()) {
                hits[i] += count.get<std::uint64_t>();
            }
        }
    }
    return true;
}

} // namespace

run_contender contender_of(const try_arm& arm, const try_place& place) {
    run_contender c;
    c.name = arm.name;
    c.title = arm.title;
    c.library = place.library;
    c.environment = pool_variables(settings_of(arm, place));
    return c;
}

run_contender contender_over(const try_arm& arm, const run_contender& allocator, const try_place& place) {
    run_contender c = contender_of(arm, place);
    c.name = over_arm;
    c.title = fmt::format("{}, over {}", arm.title, allocator.title);
    c.behind = allocator.library;
    c.environment.insert(c.environment.end(), allocator.environment.begin(), allocator.environment.end());
    return c;
}

std::vector<std::string> counting_variables(const try_arm& arm, const try_place& place) {
    pool_settings settings = settings_of(arm, place);
    settings.counts_hits = true;
    settings.statistics = place.folder / fmt::format("{}%p.json", statistics_prefix);
    return pool_variables(settings);
}

std::vector<std::uint64_t> take_hits(const try_candidates& candidates, const try_arm& arm,
                                     const try_place& place) {
    std::vector<std::uint64_t> hits(arm.served.size());
    bool has_any = false;
    std::error_code error;
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator{place.folder, error}) {
        if (entry.path().filename().string().starts_with(statistics_prefix)) {
            files.push_back(entry.path());
        }
    }
    for (const fs::path& file : files) {
        has_any = add_hits(file, candidates, arm, hits) || has_any;
        fs::remove(file, error);
    }
    return has_any ? hits : std::vector<std::uint64_t>{};
}

} // namespace linn::tool
