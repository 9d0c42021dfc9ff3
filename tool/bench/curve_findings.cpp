// SPDX-License-Identifier: Apache-2.0
#include "../measure/quantity.hpp"
#include "judgement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace linn::tool {
namespace {

constexpr std::size_t small_block = 64; // what most objects are
constexpr unsigned curves[] = {1, 2};   // threads

/// The rows of the general allocators, without the control.
std::vector<const row*> general_rows(const bench_result& result, const scenario_result& s) {
    std::vector<const row*> list;
    for (const row& r : s.rows) {
        if (s.variant_of(r).contender.empty() && result.contenders[r.contender].name != control_name) {
            list.push_back(&r);
        }
    }
    return list;
}

std::string fastest_sentence(const bench_result& result, const scenario_result& s) {
    const auto& phases = s.what->phases;
    const auto at = std::find_if(phases.begin(), phases.end(), [](const phase_info& p) {
        return p.bytes == small_block && p.threads == 1;
    });
    std::vector<const row*> rows = general_rows(result, s);
    const auto p = static_cast<std::size_t>(at - phases.begin());
    if (at == phases.end() || rows.empty()) {
        return {};
    }
    std::erase_if(rows, [&](const row* r) { return r->in(p) == nullptr; });
    if (rows.empty()) {
        return {};
    }
    const auto ns = [&](const row* r) { return r->in(p)->ns.median.middle; };
    std::ranges::stable_sort(rows, [&](const row* a, const row* b) { return ns(a) < ns(b); });
    const auto named = [&](const row* r) {
        return fmt::format("{} ({})", result.contenders[r->contender].title,
                           figures::written(figures::unit::nanoseconds, ns(r)));
    };
    if (rows.size() == 1) {
        return fmt::format(" A block of {} costs {} a pair.", size_title(small_block), named(rows[0]));
    }
    const outcome first = compare_rows(s, *rows[0], *rows[1], p).says;
    if (first == outcome::not_judged) {
        return {};
    }
    if (first == outcome::win) {
        return fmt::format(" At {} the fastest general allocator is {}, then {}.", size_title(small_block),
                           named(rows[0]), named(rows[1]));
    }
    return fmt::format(" At {} the fastest general allocators are {} and {}, too close to tell apart.",
                       size_title(small_block), named(rows[0]), named(rows[1]));
}

/// "20 x at 64 KiB (42 x on two threads)"; empty where the row has no cliff.
std::string cliffs_of(const scenario_result& s, const row& r) {
    std::vector<std::string> parts;
    const std::vector<cliff> two = cliffs_on(*s.what, r, 2);
    std::vector<std::size_t> told; // sizes whose second factor stands in brackets
    for (const cliff& c : cliffs_on(*s.what, r, 1)) {
        const std::size_t bytes = s.what->phases[c.phase].bytes;
        std::string text = fmt::format("{} at {}", times_text(c.factor), size_title(bytes));
        for (const cliff& other : two) {
            if (s.what->phases[other.phase].bytes == bytes) {
                text += fmt::format(" ({} on two threads)", times_text(other.factor));
                told.push_back(bytes);
            }
        }
        // A block that is written tells why it costs so much.
        if (const auto faults = r.metric(c.phase, "touched_faults"); faults && *faults >= 1) {
            text += fmt::format(" with {} page faults a block that is written",
                                figures::written(figures::unit::count, *faults));
        }
        parts.push_back(std::move(text));
    }
    for (const cliff& c : two) {
        const std::size_t bytes = s.what->phases[c.phase].bytes;
        if (std::find(told.begin(), told.end(), bytes) == told.end()) {
            parts.push_back(fmt::format("{} at {} on two threads", times_text(c.factor), size_title(bytes)));
        }
    }
    return fmt::format("{}", fmt::join(parts, " and "));
}

std::string cliffs_sentence(const bench_result& result, const scenario_result& s) {
    std::vector<std::string> with;
    std::vector<std::string> without;
    for (const row* r : general_rows(result, s)) {
        const std::string& title = result.contenders[r->contender].title;
        if (const std::string cliffs = cliffs_of(s, *r); !cliffs.empty()) {
            with.push_back(fmt::format("{} {}", title, cliffs));
        } else if (result.contenders[r->contender].name != no_trim_name) {
            without.push_back(title);
        }
    }
    if (with.empty()) {
        return without.empty() ? std::string{} : " No general allocator has a cliff.";
    }
    return fmt::format(" Cliffs, where a block costs that many times what half of it does: {}{}.",
                       fmt::join(with, "; "),
                       without.empty() ? std::string{} : fmt::format("; none: {}", fmt::join(without, ", ")));
}

/// Sizes of one curve at which a comparison came out alike.
class size_runs {
public:
    void add(std::size_t bytes, double factor) {
        if (!runs_.empty() && runs_.back().last * 2 == bytes) {
            runs_.back().last = bytes;
        } else {
            runs_.push_back({bytes, bytes});
        }
        factors_.push_back(factor);
    }
    bool empty() const { return runs_.empty(); }

    /// "1 B to 32 B and 1 KiB".
    std::string sizes() const {
        std::vector<std::string> parts;
        for (const run& r : runs_) {
            parts.push_back(r.first == r.last
                                ? size_title(r.first)
                                : fmt::format("{} to {}", size_title(r.first), size_title(r.last)));
        }
        return fmt::format("{}", fmt::join(parts, ", "));
    }
    /// "1.2 x to 3.0 x".
    std::string factors() const {
        const auto [least, most] = std::minmax_element(factors_.begin(), factors_.end());
        return times_text(*least) == times_text(*most)
                   ? times_text(*least)
                   : fmt::format("{} to {}", times_text(*least), times_text(*most));
    }

private:
    struct run {
        std::size_t first;
        std::size_t last;
    };
    std::vector<run> runs_;
    std::vector<double> factors_;
};

std::string comparison_sentence(const bench_result& result, const scenario_result& s, std::size_t number) {
    std::vector<std::string> parts;
    const std::vector<comparison>& all = s.comparisons[number];
    for (const unsigned threads : curves) {
        size_runs faster;
        size_runs slower;
        size_runs close;
        for (const comparison& c : all) {
            const phase_info& phase = s.what->phases[c.phase];
            if (phase.threads != threads) {
                continue;
            }
            switch (c.says) {
            case outcome::win:
                faster.add(phase.bytes, c.speed_up);
                break;
            case outcome::loss:
                slower.add(phase.bytes, 1 / c.speed_up);
                break;
            case outcome::tie:
                close.add(phase.bytes, c.speed_up);
                break;
            case outcome::not_judged:
                break;
            }
        }
        std::vector<std::string> said;
        if (!faster.empty()) {
            said.push_back(fmt::format("{} faster at {}", faster.factors(), faster.sizes()));
        }
        if (!slower.empty()) {
            said.push_back(fmt::format("{} slower at {}", slower.factors(), slower.sizes()));
        }
        if (!close.empty()) {
            said.push_back(fmt::format("too close to call at {}", close.sizes()));
        }
        if (!said.empty()) {
            parts.push_back(
                fmt::format("on {} {}", threads == 1 ? "one thread" : "two threads", fmt::join(said, ", ")));
        }
    }
    if (parts.empty()) {
        return {};
    }
    return fmt::format(" {} against {}: {}.", result.title_of(s, s.rows[all.front().ours]),
                       s.what->comparisons[number].rivals_title, fmt::join(parts, "; "));
}

} // namespace

std::string curve_findings(const bench_result& result, const scenario_result& s) {
    std::string text = fastest_sentence(result, s) + cliffs_sentence(result, s);
    for (std::size_t i = 0; i != s.comparisons.size(); ++i) {
        text += comparison_sentence(result, s, i);
    }
    return text;
}

} // namespace linn::tool
