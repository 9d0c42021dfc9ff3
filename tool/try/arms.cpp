// SPDX-License-Identifier: Apache-2.0
#include "arms.hpp"

#include "trial_plan.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <numeric>
#include <span>
#include <stdexcept>

namespace linn::tool {
namespace {

namespace fs = std::filesystem;

constexpr const char* statistics_prefix = "stats.";

pool_settings settings_of(const pool_plan& plan, const try_place& place, std::string_view name,
                          std::string mode) {
    pool_settings settings;
    settings.plan = place.folder / fmt::format("{}.toml", name);
    settings.mode = std::move(mode);
    std::ofstream out{settings.plan};
    out << plan_text(plan);
    out.close();
    if (!out) {
        throw std::runtime_error{fmt::format("cannot write {}", settings.plan.string())};
    }
    return settings;
}

pool_settings settings_of(const try_candidates& candidates, const std::vector<std::size_t>& chosen,
                          const try_place& place, std::string_view name, std::string mode) {
    return settings_of(plan_of_candidates(candidates, chosen), place, name, std::move(mode));
}

run_contender arm(std::string_view name, std::string title, const try_place& place,
                  const pool_settings& settings) {
    run_contender c;
    c.name = name;
    c.title = std::move(title);
    c.library = place.library;
    c.environment = pool_variables(settings);
    return c;
}

std::string title_of_chosen(const try_candidates& candidates, const std::vector<std::size_t>& chosen) {
    return chosen.size() == 1 ? candidates.list[chosen.front()].label : "these pools together";
}

std::vector<std::size_t> all_of(const try_candidates& candidates) {
    std::vector<std::size_t> all(candidates.list.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
}

/// Adds the hits of one process; false when the file is none of ours.
bool add_hits(const fs::path& file, const try_candidates& candidates, std::vector<std::uint64_t>& hits) {
    std::ifstream in{file};
    const nlohmann::json all = nlohmann::json::parse(in, nullptr, false);
    if (!all.is_object() || !all.contains("sites")) {
        return false;
    }
    std::size_t site = 0; // in the order of the plan, so in that of the candidates
    for (std::size_t i = 0; i != candidates.list.size(); ++i) {
        for (std::size_t n = candidates.list[i].sites.size(); n != 0 && site != all["sites"].size(); --n) {
            if (const nlohmann::json& count = all["sites"][site++]["hits"]; count.is_number_unsigned()) {
                hits[i] += count.get<std::uint64_t>();
            }
        }
    }
    return true;
}

} // namespace

std::vector<std::string> rivals_of_pools() {
    return {"mimalloc", "tcmalloc", "jemalloc", huge_name};
}

std::string arm_alone(std::size_t candidate) {
    return fmt::format("pools-{}", candidate + 1);
}

std::vector<run_contender> arms_alone(const try_candidates& candidates, const try_place& place) {
    std::vector<run_contender> arms;
    for (std::size_t i = 0; i != candidates.list.size(); ++i) {
        const std::string name = arm_alone(i);
        arms.push_back(
            arm(name, candidates.list[i].label, place, settings_of(candidates, {i}, place, name, "on")));
    }
    return arms;
}

std::vector<run_contender> arms_together(const try_candidates& candidates,
                                         const std::vector<std::size_t>& chosen, const try_place& place,
                                         bool explains) {
    std::vector<run_contender> arms;
    const auto add = [&](std::string_view name, std::string title, const char* mode) {
        arms.push_back(
            arm(name, std::move(title), place, settings_of(candidates, chosen, place, name, mode)));
    };
    add(together_arm, title_of_chosen(candidates, chosen), "on");
    if (explains) {
        add(sizes_arm, "a pool for each size", "sizes");
        add(lookup_arm, "look-up without pools", "lookup");
        for (run_contender& explaining : std::span{arms}.subspan(1)) {
            explaining.most_rounds = rounds_to_explain;
        }
    }
    add(empty_arm, "empty plan", "empty");
    return arms;
}

std::vector<run_contender> arms_of_variants(const try_candidates& candidates,
                                            const std::vector<std::size_t>& chosen,
                                            const std::vector<try_variant>& variants,
                                            const try_place& place) {
    std::vector<run_contender> arms;
    if (variants.empty()) {
        return arms;
    }
    arms.push_back(arm(together_arm, title_of_chosen(candidates, chosen), place,
                       settings_of(candidates, chosen, place, together_arm, "on")));
    for (const try_variant& v : variants) {
        arms.push_back(arm(v.name, v.title, place, settings_of(v.plan, place, v.name, "on")));
    }
    return arms;
}

run_contender arm_over(const try_candidates& candidates, const std::vector<std::size_t>& chosen,
                       const run_contender& allocator, const try_place& place) {
    run_contender c = arm(both_arm, fmt::format("these pools over {}", allocator.title), place,
                          settings_of(candidates, chosen, place, both_arm, "on"));
    c.behind = allocator.library;
    c.environment.insert(c.environment.end(), allocator.environment.begin(), allocator.environment.end());
    return c;
}

std::vector<std::string> counting_variables(const try_candidates& candidates, const try_place& place) {
    pool_settings settings = settings_of(candidates, all_of(candidates), place, "counted", "on");
    settings.counts_hits = true;
    settings.statistics = place.folder / fmt::format("{}%p.json", statistics_prefix);
    return pool_variables(settings);
}

std::vector<std::uint64_t> read_hits(const try_candidates& candidates, const try_place& place) {
    std::vector<std::uint64_t> hits(candidates.list.size());
    bool has_any = false;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator{place.folder, error}) {
        if (entry.path().filename().string().starts_with(statistics_prefix)) {
            has_any = add_hits(entry.path(), candidates, hits) || has_any;
        }
    }
    return has_any ? hits : std::vector<std::uint64_t>{};
}

} // namespace linn::tool
