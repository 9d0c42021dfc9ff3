// SPDX-License-Identifier: Apache-2.0
#include "variants.hpp"

#include "../advise/huge_pages.hpp"
#include "../symbols/short_name.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace linn::tool {
namespace {

constexpr std::size_t pool_name_room = 40;
constexpr std::size_t most_pool_names = 3;
constexpr unsigned line_bytes = 64;

class maker {
public:
    maker(const try_candidates& candidates, const std::vector<std::size_t>& chosen)
        : candidates_{candidates},
          chosen_{chosen},
          plan_{plan_of_candidates(candidates, chosen)},
          turns_{candidates.turns} {
        for (const std::size_t i : chosen) {
            const try_candidate& c = candidates.list[i];
            counts_.insert(counts_.end(), c.counts.begin(), c.counts.end());
        }
        counts_.resize(plan_.pools.size());
    }

    std::vector<try_variant> make() {
        share_pools();
        add(
            "padded", "on cache lines of their own", "another thread than allocated them frees objects of {}",
            [this](std::size_t i) {
                const pool_counts& c = counts_[i];
                return slot_of(i) % line_bytes != 0 && c.releases != 0 &&
                       static_cast<double>(c.remote_releases) >=
                           remote_share * static_cast<double>(c.releases);
            },
            [](plan_pool& pool) { pool.is_padded = true; });
        add(
            "small-pages", "on small pages", "the pools of {} ask for huge ones",
            [this](std::size_t i) { return plan_.pools[i].wants_huge_pages; },
            [](plan_pool& pool) { pool.wants_huge_pages = false; });
        return std::move(variants_);
    }

    std::optional<try_variant> make_all_by_size() const {
        std::optional<try_variant> v = shared_by_size();
        if (v) {
            v->name = "all-by-size";
            v->title = "all types, one pool for each size";
            v->change = "one pool for each size";
        }
        return v;
    }

private:
    unsigned slot_of(std::size_t pool) const { return slot_bytes(plan_, plan_.pools[pool]); }

    void add(const char* name, const char* change_text, std::string_view why,
             const std::function<bool(std::size_t)>& promises,
             const std::function<void(plan_pool&)>& change) {
        try_variant v{name, fmt::format("these, {}", change_text), change_text, {}, plan_, chosen_};
        std::vector<std::string> changed;
        for (std::size_t i = 0; i != plan_.pools.size(); ++i) {
            if (promises(i)) {
                change(v.plan.pools[i]);
                changed.push_back(plan_.pools[i].name);
            }
        }
        if (changed.empty()) {
            return;
        }
        v.why = fmt::format(fmt::runtime(why), listed_pools(candidates_, changed));
        variants_.push_back(std::move(v));
    }

    /// The pools of each group as one; nothing where no group has two. `group` has one number for each pool.
    std::optional<try_variant> shared(const std::vector<std::size_t>& group, std::string_view name,
                                      const char* title, const char* why, const char* note) const {
        std::map<std::size_t, std::vector<std::size_t>> members;
        for (std::size_t i = 0; i != group.size(); ++i) {
            members[group[i]].push_back(i);
        }
        try_variant v{std::string{name}, title, title, {}, plan_, chosen_, true};
        v.plan.pools.clear();
        std::map<std::string, std::string> now; // by the name of the pool that it was
        std::vector<std::string> merged;
        for (std::size_t i = 0; i != plan_.pools.size(); ++i) {
            const std::vector<std::size_t>& alike = members[group[i]];
            const plan_pool& first = plan_.pools[alike.front()];
            if (alike.front() == i) {
                v.plan.pools.push_back(first);
            }
            if (alike.size() == 1) {
                continue;
            }
            merged.push_back(plan_.pools[i].name);
            now[plan_.pools[i].name] = first.name;
            if (alike.front() != i) {
                continue;
            }
            std::uint64_t live = 0;
            unsigned slot = 0;
            for (const std::size_t other : alike) {
                live += counts_[other].peak_live;
                slot = std::max(slot, slot_of(other));
            }
            v.plan.pools.back().note = fmt::format(fmt::runtime(note), alike.size());
            v.plan.pools.back().wants_huge_pages = is_worth_huge_pages(live, slot);
        }
        if (merged.empty()) {
            return std::nullopt;
        }
        for (plan_site& site : v.plan.sites) {
            if (const auto to = now.find(site.pool); to != now.end()) {
                site.pool = to->second;
            }
        }
        v.why = fmt::format(fmt::runtime(why), listed_pools(candidates_, merged));
        return v;
    }

    void share_pools() {
        const std::vector<std::size_t> turns = groups_by_turns();
        const auto in_turns = shared(turns, variant_names[0], "one pool for types allocated in turns",
                                     "{} are allocated in turns", "for {} types that are allocated in turns");
        const auto by_size = shared_by_size();
        const auto pools = [](const try_variant& v) {
            std::vector<std::string> all;
            for (const plan_site& site : v.plan.sites) {
                all.push_back(site.pool);
            }
            return all;
        };
        if (in_turns && !(by_size && pools(*in_turns) == pools(*by_size))) {
            variants_.push_back(*in_turns);
        }
        if (by_size) {
            variants_.push_back(*by_size);
        }
    }

    std::optional<try_variant> shared_by_size() const {
        std::vector<std::size_t> sizes;
        for (std::size_t i = 0; i != plan_.pools.size(); ++i) {
            sizes.push_back(slot_of(i));
        }
        return shared(sizes, variant_names[1], "one pool for types of one size", "slots of {} have one size",
                      "for {} types of one size");
    }

    /// For each pool the first of its group. The pair that alternates most is joined first.
    std::vector<std::size_t> groups_by_turns() const {
        std::vector<std::size_t> group(plan_.pools.size());
        std::iota(group.begin(), group.end(), std::size_t{0});
        std::vector<pool_turns> turns = turns_;
        std::stable_sort(turns.begin(), turns.end(),
                         [](const pool_turns& x, const pool_turns& y) { return x.count > y.count; });
        for (const pool_turns& t : turns) {
            const std::size_t one = index_of(t.pools[0]);
            const std::size_t other = index_of(t.pools[1]);
            if (one == group.size() || other == group.size() || group[one] == group[other]) {
                continue;
            }
            const auto needed = turns_share * static_cast<double>(std::max(counts_[one].allocations,
                                                                           counts_[other].allocations));
            if (static_cast<double>(t.count) < needed || !fit_together(group, group[one], group[other])) {
                continue;
            }
            const std::size_t kept = std::min(group[one], group[other]);
            const std::size_t gone = std::max(group[one], group[other]);
            std::replace(group.begin(), group.end(), gone, kept);
        }
        return group;
    }

    std::size_t index_of(const std::string& pool) const {
        const auto found = std::find_if(plan_.pools.begin(), plan_.pools.end(),
                                        [&](const plan_pool& p) { return p.name == pool; });
        return static_cast<std::size_t>(found - plan_.pools.begin());
    }

    bool fit_together(const std::vector<std::size_t>& group, std::size_t one, std::size_t other) const {
        unsigned smallest = ~0U;
        unsigned largest = 0;
        for (std::size_t i = 0; i != group.size(); ++i) {
            if (group[i] == one || group[i] == other) {
                smallest = std::min(smallest, slot_of(i));
                largest = std::max(largest, slot_of(i));
            }
        }
        return largest <= most_unlike_slots * smallest;
    }

    const try_candidates& candidates_;
    const std::vector<std::size_t>& chosen_;
    pool_plan plan_;
    std::vector<pool_counts> counts_; // one for each pool
    const std::vector<pool_turns>& turns_;
    std::vector<try_variant> variants_;
};

} // namespace

std::string listed_names(std::vector<std::string> names, std::size_t more) {
    if (more != 0) {
        names.push_back(fmt::format("{} more", more));
    }
    const std::string last = names.back();
    names.pop_back();
    return names.empty() ? last : fmt::format("{} and {}", fmt::join(names, ", "), last);
}

std::string listed_pools(const try_candidates& candidates, const std::vector<std::string>& pools) {
    // The pools for further sizes of a type are named "T, 64 bytes": T stands for them all.
    const auto is_further = [&](const std::string& name) {
        return name.ends_with(" bytes") &&
               std::any_of(pools.begin(), pools.end(),
                           [&](const std::string& first) { return name.starts_with(first + ", "); });
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
            shown.push_back(candidates.pool_in_sentence(name, pool_name_room));
        }
    }
    return listed_names(std::move(shown), more);
}

std::vector<try_variant> variants_of(const try_candidates& candidates,
                                     const std::vector<std::size_t>& chosen) {
    return maker{candidates, chosen}.make();
}

std::optional<try_variant> all_by_size(const try_candidates& candidates,
                                       const std::vector<std::size_t>& all) {
    return maker{candidates, all}.make_all_by_size();
}

} // namespace linn::tool
