// SPDX-License-Identifier: Apache-2.0
#include "preloads.hpp"

#include "../pools/launch.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace linn::tool {
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
