// SPDX-License-Identifier: Apache-2.0
#include "arms.hpp"

#include "../advise/advice.hpp"
#include "../pools/launch.hpp"
#include "../symbols/short_name.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace linn::tool {
namespace {

constexpr std::size_t pool_name_room = 40;
constexpr std::size_t most_pool_names = 3;
constexpr unsigned line_bytes = 64;
constexpr unsigned slot_step = 16;
constexpr unsigned largest_own_slot = most_planned_pools * slot_step; ///< larger slots share its pool

/// A plan, and what the trace counts of each of its pools.
struct counted_plan {
    pool_plan plan;
    std::vector<pool_counts> counts;

    unsigned slot_of(std::size_t pool) const { return slot_bytes(plan, plan.pools[pool]); }
    unsigned size_class_of(std::size_t pool) const { return std::min(slot_of(pool), largest_own_slot); }
};

void ask_for_huge_pages(counted_plan& p) {
    for (std::size_t i = 0; i != p.plan.pools.size(); ++i) {
        p.plan.pools[i].wants_huge_pages = is_worth_huge_pages(p.counts[i].peak_live, p.slot_of(i));
    }
}

/// The pools of each group as one. `group` has for each pool the index of the first of its group.
counted_plan merged(const counted_plan& from, const std::vector<std::size_t>& group, const char* note) {
    counted_plan to{from.plan, {}};
    to.plan.pools.clear();
    std::map<std::size_t, std::size_t> place; // of a group's pool, by the first of the group
    std::map<std::string, std::string> now;   // by the name of the pool that it was
    std::map<std::size_t, std::size_t> members;
    for (std::size_t i = 0; i != group.size(); ++i) {
        const auto [at, is_new] = place.try_emplace(group[i], to.plan.pools.size());
        if (is_new) {
            to.plan.pools.push_back(from.plan.pools[i]);
            to.counts.emplace_back();
        }
        plan_pool& pool = to.plan.pools[at->second];
        pool_counts& counts = to.counts[at->second];
        pool.room = std::max(pool.room, from.plan.pools[i].room);
        counts.releases += from.counts[i].releases;
        counts.remote_releases += from.counts[i].remote_releases;
        counts.peak_live += from.counts[i].peak_live;
        counts.allocations += from.counts[i].allocations;
        if (const std::size_t count = ++members[group[i]]; count > 1) {
            pool.note = fmt::format(fmt::runtime(note), count);
        }
        now[from.plan.pools[i].name] = pool.name;
    }
    for (plan_site& site : to.plan.sites) {
        site.pool = now.at(site.pool);
    }
    ask_for_huge_pages(to);
    return to;
}

/// One pool for each size of those from `first` on; the others stay.
std::vector<std::size_t> groups_by_size(const counted_plan& p, std::size_t first) {
    std::vector<std::size_t> group(p.plan.pools.size());
    std::map<unsigned, std::size_t> of_class;
    for (std::size_t i = 0; i != group.size(); ++i) {
        group[i] = i < first ? i : of_class.try_emplace(p.size_class_of(i), i).first->second;
    }
    return group;
}

constexpr const char* sharing_note = "for {} types of one size";

/// As many pools of the types' own as there is room for next to those that the rest shares.
counted_plan limited(const counted_plan& p) {
    std::size_t own = p.plan.pools.size();
    std::set<unsigned> shared;
    while (own + shared.size() > most_planned_pools) {
        shared.insert(p.size_class_of(--own));
    }
    return shared.empty() ? p : merged(p, groups_by_size(p, own), sharing_note);
}

counted_plan own_pools(const try_candidates& candidates, const std::vector<std::size_t>& which) {
    counted_plan p;
    std::set<std::string> used;
    for (const std::size_t i : which) {
        const try_candidate& c = candidates.list[i];
        p.plan.pools.insert(p.plan.pools.end(), c.pools.begin(), c.pools.end());
        p.plan.sites.insert(p.plan.sites.end(), c.sites.begin(), c.sites.end());
        p.counts.insert(p.counts.end(), c.counts.begin(), c.counts.end());
        p.counts.resize(p.plan.pools.size());
        for (const plan_site& site : c.sites) {
            used.insert(site.call.module);
            if (site.caller) {
                used.insert(site.caller->module);
            }
        }
    }
    std::ranges::copy_if(candidates.modules, std::back_inserter(p.plan.modules),
                         [&](const plan_module& module) { return used.contains(module.name); });
    ask_for_huge_pages(p);
    return p;
}

bool is_by_size(const try_arm& arm) {
    return arm.name == by_size_arm;
}

counted_plan plan_for(const try_candidates& candidates, const std::vector<std::size_t>& which, bool by_size) {
    const counted_plan own = own_pools(candidates, which);
    return by_size ? merged(own, groups_by_size(own, 0), sharing_note) : limited(own);
}

/// For each pool the first of its group. The pair that alternates most is joined first.
class turn_groups {
public:
    turn_groups(const counted_plan& p, std::vector<pool_turns> turns) : p_{p}, group_(p.plan.pools.size()) {
        std::iota(group_.begin(), group_.end(), std::size_t{0});
        std::ranges::stable_sort(turns, std::greater{}, &pool_turns::count);
        for (const pool_turns& t : turns) {
            join(index_of(t.pools[0]), index_of(t.pools[1]), t.count);
        }
    }

    const std::vector<std::size_t>& groups() const { return group_; }

private:
    std::size_t index_of(const std::string& pool) const {
        const auto found = std::ranges::find(p_.plan.pools, pool, &plan_pool::name);
        return static_cast<std::size_t>(found - p_.plan.pools.begin());
    }

    void join(std::size_t one, std::size_t other, std::uint64_t count) {
        if (one == group_.size() || other == group_.size() || group_[one] == group_[other]) {
            return;
        }
        const auto needed = turns_share * static_cast<double>(std::max(p_.counts[one].allocations,
                                                                       p_.counts[other].allocations));
        const auto [kept, gone] = std::minmax(group_[one], group_[other]);
        if (static_cast<double>(count) >= needed && fit_together(kept, gone)) {
            std::ranges::replace(group_, std::size_t{gone}, std::size_t{kept});
        }
    }

    bool fit_together(std::size_t one, std::size_t other) const {
        unsigned smallest = ~0U;
        unsigned largest = 0;
        for (std::size_t i = 0; i != group_.size(); ++i) {
            if (group_[i] == one || group_[i] == other) {
                smallest = std::min(smallest, p_.slot_of(i));
                largest = std::max(largest, p_.slot_of(i));
            }
        }
        return largest <= most_unlike_slots * smallest;
    }

    const counted_plan& p_;
    std::vector<std::size_t> group_;
};

/// The pools for which `promises` holds, changed; nothing where it holds for none.
void add_form(std::vector<try_arm>& forms, const try_arm& all, const char* name, const char* title,
              const char* why, const std::function<bool(std::size_t)>& promises,
              const std::function<void(plan_pool&)>& change) {
    try_arm form{name, title, {}, all.plan, all.mode, all.served};
    std::vector<std::string> changed;
    for (std::size_t i = 0; i != form.plan.pools.size(); ++i) {
        if (promises(i)) {
            change(form.plan.pools[i]);
            changed.push_back(form.plan.pools[i].name);
        }
    }
    if (!changed.empty()) {
        form.why = fmt::format(fmt::runtime(why), listed_pools(changed));
        forms.push_back(std::move(form));
    }
}

} // namespace

try_arm arm_of_types(const try_candidates& candidates, std::vector<std::size_t> which) {
    pool_plan plan = plan_for(candidates, which, false).plan;
    return {std::string{types_arm}, "a pool for each type", {}, std::move(plan), "on", std::move(which)};
}

try_arm arm_by_size(const try_candidates& candidates, std::vector<std::size_t> which) {
    pool_plan plan = plan_for(candidates, which, true).plan;
    return {std::string{by_size_arm}, "a pool for each size", {}, std::move(plan), "on", std::move(which)};
}

try_arm arm_of_every_block() {
    try_arm arm{std::string{every_arm}, "every block by size", {}, {}, "sizes"};
    arm.plan.note = "for LINN_POOLS=sizes: the sites only name the sizes";
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
    return {std::string{empty_arm}, "empty plan", {}, plan, "empty"};
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
        arms.push_back({fmt::format("without-{}", i + 1),
                        "without " + label,
                        {},
                        plan_for(candidates, others, is_by_size(all)).plan,
                        "on",
                        others,
                        true,
                        i});
        if (all.served.size() > 2) { // the rest of two is the other one alone
            arms.push_back({fmt::format("alone-{}", i + 1),
                            label + " alone",
                            {},
                            plan_for(candidates, {i}, is_by_size(all)).plan,
                            "on",
                            {i},
                            true});
        }
    }
    return arms;
}

std::vector<try_arm> forms_of(const try_candidates& candidates, const try_arm& all) {
    const counted_plan p = plan_for(candidates, all.served, is_by_size(all));
    std::vector<try_arm> forms;
    if (!is_by_size(all)) {
        const turn_groups turns{p, candidates.turns};
        std::vector<std::string> together;
        for (std::size_t i = 0; i != turns.groups().size(); ++i) {
            if (std::ranges::count(turns.groups(), turns.groups()[i]) > 1) {
                together.push_back(p.plan.pools[i].name);
            }
        }
        if (!together.empty()) {
            forms.push_back({"in-turns", "one pool for types allocated in turns",
                             listed_pools(together) + " are allocated in turns",
                             merged(p, turns.groups(), "for {} types that are allocated in turns").plan, "on",
                             all.served});
        }
    }
    add_form(
        forms, all, "padded", "on cache lines of their own",
        "another thread than allocated them frees objects of {}",
        [&](std::size_t i) {
            const pool_counts& c = p.counts[i];
            return p.slot_of(i) % line_bytes != 0 && c.releases != 0 &&
                   static_cast<double>(c.remote_releases) >= remote_share * static_cast<double>(c.releases);
        },
        [](plan_pool& pool) { pool.is_padded = true; });
    add_form(
        forms, all, "small-pages", "on small pages", "the pools of {} ask for huge ones",
        [&](std::size_t i) { return p.plan.pools[i].wants_huge_pages; },
        [](plan_pool& pool) { pool.wants_huge_pages = false; });
    return forms;
}

std::string listed_names(std::vector<std::string> names, std::size_t more) {
    if (more != 0) {
        names.push_back(fmt::format("{} more", more));
    }
    const std::string last = names.back();
    names.pop_back();
    return names.empty() ? last : fmt::format("{} and {}", fmt::join(names, ", "), last);
}

std::string listed_pools(const std::vector<std::string>& pools) {
    // The pools for further sizes of a type are named "T, 64 bytes": T stands for them all.
    const auto is_further = [&](const std::string& name) {
        return name.ends_with(" bytes") && std::ranges::any_of(pools, [&](const std::string& first) {
                   return name.starts_with(first + ", ");
               });
    };
    std::vector<std::string> shown;
    std::size_t more = 0;
    for (const std::string& name : pools) {
        if (is_further(name)) {
            continue;
        }
        if (shown.size() == most_pool_names) {
            ++more;
        } else {
            shown.push_back(short_type(name, pool_name_room));
        }
    }
    return listed_names(std::move(shown), more);
}

namespace {

namespace fs = std::filesystem;

constexpr const char* statistics_prefix = "stats.";

pool_settings settings_of(const try_arm& arm, const try_place& place) {
    pool_settings settings;
    settings.plan = place.folder / (arm.name + ".plan");
    settings.mode = arm.mode;
    std::ofstream out{settings.plan, std::ios::binary};
    out << compiled_plan(arm.plan);
    out.close();
    if (!out) {
        throw std::runtime_error{fmt::format("cannot write {}", settings.plan.string())};
    }
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
