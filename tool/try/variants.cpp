// SPDX-License-Identifier: Apache-2.0
#include "variants.hpp"

#include "../symbols/short_name.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace linn::tool {
namespace {

constexpr std::size_t pool_name_room = 40;
constexpr std::size_t most_pool_names = 3;
constexpr unsigned line_bytes = 64;

std::string names_of(const std::vector<std::string>& pools) {
    std::vector<std::string> shown;
    for (std::size_t i = 0; i != std::min(pools.size(), most_pool_names); ++i)
        shown.push_back(fmt::format("`{}`", short_type(pools[i], pool_name_room)));
    const std::size_t more = pools.size() - shown.size();
    return listed_names(std::move(shown), more);
}

class maker {
public:
    maker(const try_candidates& candidates, const std::vector<std::size_t>& chosen)
        : plan_{plan_of_candidates(candidates, chosen)} {
        for (const std::size_t i : chosen) {
            const try_candidate& c = candidates.list[i];
            counts_.insert(counts_.end(), c.counts.begin(), c.counts.end());
        }
        counts_.resize(plan_.pools.size());
    }

    std::vector<try_variant> make() {
        share_pools();
        add(
            "padded", "these, on cache lines of their own",
            "another thread than allocated them frees objects of {}",
            [this](std::size_t i) {
                const pool_counts& c = counts_[i];
                return slot_of(i) % line_bytes != 0 && c.releases != 0 &&
                       static_cast<double>(c.remote_releases) >=
                           remote_share * static_cast<double>(c.releases);
            },
            [](plan_pool& pool) { pool.is_padded = true; });
        add(
            "small-pages", "these, on small pages", "the pools of {} ask for huge ones",
            [this](std::size_t i) { return plan_.pools[i].wants_huge_pages; },
            [](plan_pool& pool) { pool.wants_huge_pages = false; });
        add(
            "by-address", "these, lowest address first", "many objects of {} live at once",
            [this](std::size_t i) { return counts_[i].peak_live >= many_live; },
            [](plan_pool& pool) { pool.is_by_address = true; });
        return std::move(variants_);
    }

private:
    unsigned slot_of(std::size_t pool) const { return slot_bytes(plan_, plan_.pools[pool]); }

    void add(std::string name, std::string title, std::string_view why,
             const std::function<bool(std::size_t)>& promises,
             const std::function<void(plan_pool&)>& change) {
        try_variant v{std::move(name), std::move(title), {}, plan_};
        std::vector<std::string> changed;
        for (std::size_t i = 0; i != plan_.pools.size(); ++i)
            if (promises(i)) {
                change(v.plan.pools[i]);
                changed.push_back(plan_.pools[i].name);
            }
        if (changed.empty())
            return;
        v.why = fmt::format(fmt::runtime(why), names_of(changed));
        variants_.push_back(std::move(v));
    }

    /// The trace does not say in which order objects of several types are made; those of one size can lie together.
    void share_pools() {
        std::map<unsigned, std::vector<std::size_t>> by_slot;
        for (std::size_t i = 0; i != plan_.pools.size(); ++i)
            by_slot[slot_of(i)].push_back(i);
        try_variant v{std::string{variant_names[0]}, "one pool for types of one size", {}, plan_};
        v.plan.pools.clear();
        std::map<std::string, std::string> shared; // by the name of the pool that it was
        std::vector<std::string> merged;
        for (std::size_t i = 0; i != plan_.pools.size(); ++i) {
            const std::vector<std::size_t>& alike = by_slot[slot_of(i)];
            const plan_pool& first = plan_.pools[alike.front()];
            if (alike.front() == i)
                v.plan.pools.push_back(first);
            if (alike.size() == 1)
                continue;
            merged.push_back(plan_.pools[i].name);
            shared[plan_.pools[i].name] = first.name;
            if (alike.front() != i)
                continue;
            std::uint64_t live = 0;
            for (const std::size_t other : alike)
                live += counts_[other].peak_live;
            v.plan.pools.back().note = fmt::format("for {} types of one size", alike.size());
            v.plan.pools.back().wants_huge_pages = live * slot_of(i) >= huge_live_bytes;
        }
        if (merged.empty())
            return;
        for (plan_site& site : v.plan.sites)
            if (const auto now = shared.find(site.pool); now != shared.end())
                site.pool = now->second;
        v.why = fmt::format("slots of {} have one size", names_of(merged));
        variants_.push_back(std::move(v));
    }

    pool_plan plan_;
    std::vector<pool_counts> counts_; // beside the pools
    std::vector<try_variant> variants_;
};

} // namespace

std::string listed_names(std::vector<std::string> names, std::size_t more) {
    if (more != 0)
        names.push_back(fmt::format("{} more", more));
    const std::string last = names.back();
    names.pop_back();
    return names.empty() ? last : fmt::format("{} and {}", fmt::join(names, ", "), last);
}

std::vector<try_variant> variants_of(const try_candidates& candidates,
                                     const std::vector<std::size_t>& chosen) {
    return maker{candidates, chosen}.make();
}

} // namespace linn::tool
