// SPDX-License-Identifier: Apache-2.0
#include "../measure/quantity.hpp"
#include "judgement.hpp"
#include "summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace linn::tool {
namespace {

using figures::unit;
using figures::written;

constexpr const char* ways[] = {"linn_pool", "linn_pool_resource"};

/// The phase with so many threads, if there is one.
std::optional<std::size_t> phase_of(const scenario& s, unsigned threads) {
    for (std::size_t p = 0; p != s.phases.size(); ++p) {
        if (s.phases[p].threads == threads) {
            return p;
        }
    }
    return std::nullopt;
}

std::vector<const scenario_result*> programs_of(const bench_result& result) {
    std::vector<const scenario_result*> list;
    for (const scenario_result& s : result.scenarios) {
        if (s.what->group == "threads" && !s.rows.empty()) {
            list.push_back(&s);
        }
    }
    return list;
}

/// Where one of Linn's ways met the general allocators.
struct standing {
    std::size_t first = 0; ///< programs
    std::vector<std::string> second;
    std::vector<std::string> behind; ///< with the place
    std::vector<std::string> most_memory;
};

/// The rows that `ours` is compared with: the general allocators, glibc once.
std::vector<const row*> rivals(const bench_result& result, const scenario_result& s, std::size_t phase) {
    std::vector<const row*> list;
    for (const row& r : s.rows) {
        const std::string& name = result.contenders[r.contender].name;
        if (r.in(phase) != nullptr && s.variant_of(r).name == "new_delete" && name != control_name &&
            name != no_trim_name) {
            list.push_back(&r);
        }
    }
    return list;
}

void place(const bench_result& result, const scenario_result& s, const row& ours, std::size_t phase,
           standing& all) {
    std::size_t ahead = 0;
    bool is_largest = true;
    const double memory = ours.metric(phase, "peak_rss_bytes").value_or(0);
    const std::vector<const row*> others = rivals(result, s, phase);
    for (const row* r : others) {
        ahead += compare_rows(s, ours, *r, phase).says == outcome::loss ? 1U : 0U;
        is_largest = is_largest && r->metric(phase, "peak_rss_bytes").value_or(0) < memory;
    }
    const std::string name{s.what->name};
    if (ahead == 0) {
        ++all.first;
    } else if (ahead == 1) {
        all.second.push_back(name);
    } else {
        all.behind.push_back(fmt::format("{} (place {} of {})", name, ahead + 1, others.size() + 1));
    }
    if (is_largest && !others.empty()) {
        all.most_memory.push_back(name);
    }
}

struct total {
    std::string title;
    double seconds = 0;
    std::size_t programs = 0;
};

/// Seconds of all programs together, by row; only of those that have all programs.
std::vector<total> totals(const bench_result& result, const std::vector<const scenario_result*>& programs) {
    std::map<std::string, total> sums;
    for (const scenario_result* s : programs) {
        const std::size_t phase = *phase_of(*s->what, 2);
        for (const row& r : s->rows) {
            if (const auto seconds = r.metric(phase, "seconds");
                seconds && result.contenders[r.contender].name != control_name) {
                const std::string title = s->variant_of(r).name == "new_delete"
                                              ? result.contenders[r.contender].title
                                              : result.title_of(*s, r);
                total& sum = sums[title];
                sum.title = title;
                sum.seconds += *seconds;
                ++sum.programs;
            }
        }
    }
    std::vector<total> list;
    for (const auto& [title, sum] : sums) {
        if (sum.programs == programs.size()) {
            list.push_back(sum);
        }
    }
    std::sort(list.begin(), list.end(), [](const total& a, const total& b) { return a.seconds < b.seconds; });
    return list;
}

std::string standing_sentence(std::string_view title, const standing& all, std::size_t programs) {
    std::string text =
        fmt::format(" {} is first in {} of {}", title, all.first, figures::counted(programs, "program"));
    if (!all.second.empty()) {
        text += fmt::format(", second in {}", fmt::join(all.second, ", "));
    }
    if (!all.behind.empty()) {
        text += fmt::format(", further behind in {}", fmt::join(all.behind, ", "));
    }
    if (!all.most_memory.empty()) {
        text += fmt::format("; it has the largest peak of memory in {}", fmt::join(all.most_memory, ", "));
    }
    return text + '.';
}

} // namespace

std::string threads_finding(const bench_result& result) {
    const std::vector<const scenario_result*> programs = programs_of(result);
    if (programs.size() < 2 || !why_not_judged(result).empty()) {
        return {};
    }
    std::string text;
    for (const char* way : ways) {
        standing all;
        std::string title;
        std::size_t measured = 0;
        for (const scenario_result* s : programs) {
            const auto phase = phase_of(*s->what, 2);
            const row* r = s->find(result.contenders, linn_name, way);
            if (!phase || r == nullptr || r->in(*phase) == nullptr) {
                continue;
            }
            place(result, *s, *r, *phase, all);
            title = result.title_of(*s, *r);
            ++measured;
        }
        if (measured != 0) {
            text += standing_sentence(title, all, measured);
        }
    }
    std::vector<std::string> sums;
    for (const total& sum : totals(result, programs)) {
        sums.push_back(fmt::format("{} {}", sum.title, written(unit::number, sum.seconds)));
    }
    if (sums.size() > 1) {
        text += fmt::format(" Seconds for all {} together: {}.", programs.size(), fmt::join(sums, ", "));
    }
    return text.empty() ? text : "threads, on 2 threads:" + text;
}

} // namespace linn::tool
