// SPDX-License-Identifier: Apache-2.0
#include "../experiment/rounds.hpp"
#include "../measure/quantity.hpp"
#include "../measure/words.hpp"
#include "bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace linn::tool {

namespace {

/// Something of each sample.
template <class Get>
std::vector<double> values_of(const row& r, const Get& get) {
    std::vector<double> values;
    for (const sample& s : r.samples) {
        values.push_back(static_cast<double>(get(s)));
    }
    return values;
}

} // namespace

std::vector<double> row::cycles(std::size_t phase) const {
    return values_of(*this, [phase](const sample& s) { return s.cycles[phase]; });
}

const row* scenario_result::find(const std::vector<contender>& contenders, std::string_view name,
                                 std::string_view variant) const {
    for (const row& r : rows) {
        if (contenders[r.contender].name == name && variant_of(r).name == variant) {
            return &r;
        }
    }
    return nullptr;
}

std::string bench_result::title_of(const scenario_result& s, const row& r) const {
    const variant_info& v = s.variant_of(r);
    return v.contender.empty() ? std::string{v.title} + " on " + contenders[r.contender].title
                               : std::string{v.title};
}

std::optional<double> bench_result::shown(const row& r, const column_info& c) const {
    const phase_figures* const f = r.in(c.phase);
    if (f == nullptr) {
        return std::nullopt;
    }
    if (const auto found = f->metrics.find(std::string{c.metric}); found != f->metrics.end()) {
        return found->second;
    }
    switch (c.shows) {
    case figure::faults:
        return f->faults;
    case figure::rate:
        return 1e9 / f->ns.median.middle * c.factor;
    case figure::time:
        return f->ns.median.middle * c.factor;
    default:
        return std::nullopt;
    }
}

std::string heading_of(const bench_options& options, const scenario& s) {
    return fmt::format(fmt::runtime(s.heading), fmt::arg("container", options.container));
}

namespace {

constexpr double level = 0.95;

timing scaled(const timing& t, double divisor) {
    return {{t.median.middle / divisor, t.median.low / divisor, t.median.high / divisor},
            t.minimum / divisor};
}

/// The medians of all metrics that any sample reports.
std::map<std::string, double> metrics_of(const row& r, std::size_t phase) {
    std::map<std::string, std::vector<double>> values;
    for (const sample& s : r.samples) {
        if (phase < s.metrics.size()) {
            for (const auto& [name, value] : s.metrics[phase]) {
                values[name].push_back(value);
            }
        }
    }
    std::map<std::string, double> medians;
    for (const auto& [name, list] : values) {
        medians[name] = median(list);
    }
    return medians;
}

std::optional<phase_figures> figures_of(const row& r, std::size_t phase, double ticks_per_ns) {
    const std::vector<double> cycles = r.cycles(phase);
    if (std::all_of(cycles.begin(), cycles.end(), [](double c) { return c == 0; })) {
        return std::nullopt;
    }
    phase_figures f;
    f.cycles = {median_interval(cycles, level), minimum(cycles)};
    f.ns = scaled(f.cycles, ticks_per_ns);
    f.faults = median(values_of(r, [phase](const sample& s) { return s.faults[phase]; }));
    f.metrics = metrics_of(r, phase);
    return f;
}

void judge_row(row& r, const scenario& what, double ticks_per_ns) {
    r.phases.clear();
    for (std::size_t p = 0; p != what.phases.size(); ++p) {
        r.phases.push_back(figures_of(r, p, ticks_per_ns));
    }
    r.peak_rss_bytes = median(values_of(r, [](const sample& s) { return s.peak_rss_bytes; }));
}

double middle(const row& r, std::size_t phase) {
    return r.phases[phase]->cycles.median.middle;
}

void set_ratios(row& r, const row* baseline) {
    std::vector<double> ratios;
    for (std::size_t p = 0; p != r.phases.size(); ++p) {
        if (baseline != nullptr && r.phases[p] && baseline->phases[p]) {
            ratios.push_back(*(r.phases[p]->ratio = middle(r, p) / middle(*baseline, p)));
        }
    }
    r.ratio = geometric_mean(ratios);
}

/// The fastest rival of `ours` in one phase.
const row* best_rival(const bench_result& result, const scenario_result& s, const comparison_info& info,
                      std::size_t phase) {
    const row* best = nullptr;
    for (const row& r : s.rows) {
        const bool is_rival = r.in(phase) != nullptr && std::find(info.rivals.begin(), info.rivals.end(),
                                                                  s.variant_of(r).name) != info.rivals.end();
        // The control is the baseline once more; as a rival it would only win by luck.
        if (is_rival && result.contenders[r.contender].name != control_name &&
            (best == nullptr || middle(r, phase) < middle(*best, phase))) {
            best = &r;
        }
    }
    return best;
}

/// One row compared with another in `phase`. @pre both have it
comparison compare_rows(const scenario_result& s, const row& ours, const row& other, std::size_t phase) {
    const auto place = [&](const row& r) { return static_cast<std::size_t>(&r - s.rows.data()); };
    comparison c{phase,         place(ours),        place(other), middle(other, phase) / middle(ours, phase),
                 unknown_bound, outcome::not_judged};
    if (s.least_rounds < rounds_to_judge) { // of any row: a round that was stopped counts for none
        return c;
    }
    c.uncertainty =
        2 * std::hypot(relative_median_error(ours.cycles(phase)), relative_median_error(other.cycles(phase)));
    const double least = 1 + std::max(s.noise[phase].threshold, c.uncertainty);
    c.says = c.speed_up > least ? outcome::win : c.speed_up * least < 1 ? outcome::loss : outcome::tie;
    return c;
}

std::vector<comparison> compare(const bench_result& result, const scenario_result& s,
                                const comparison_info& info) {
    std::vector<comparison> list;
    const row* const ours = s.find(result.contenders, linn_name, info.ours);
    for (std::size_t p = 0; ours != nullptr && p != s.what->phases.size(); ++p) {
        if (ours->in(p) != nullptr) {
            if (const row* const best = best_rival(result, s, info, p)) {
                list.push_back(compare_rows(s, *ours, *best, p));
            }
        }
    }
    return list;
}

void judge_scenario(const bench_result& result, scenario_result& s) {
    s.noise.clear();
    s.comparisons.clear();
    s.samples = s.repeated = s.disturbed = 0;
    s.least_rounds = s.rows.empty() ? 0 : s.rows.front().samples.size();
    s.most_rounds = 0;
    for (row& r : s.rows) {
        judge_row(r, *s.what, result.machine.ticks_per_ns);
        s.samples += r.samples.size();
        s.repeated += r.repeated;
        s.disturbed += r.disturbed;
        s.least_rounds = std::min(s.least_rounds, r.samples.size());
        s.most_rounds = std::max(s.most_rounds, r.samples.size());
    }
    const row* const baseline = s.find(result.contenders, baseline_name, s.what->baseline);
    const row* const control = s.find(result.contenders, control_name, s.what->baseline);
    for (row& r : s.rows) {
        set_ratios(r, baseline);
    }
    for (std::size_t p = 0; p != s.what->phases.size(); ++p) {
        phase_noise n{std::nullopt, least_claim};
        if (baseline != nullptr && control != nullptr && baseline->in(p) != nullptr &&
            control->in(p) != nullptr) {
            n.floor = relative_gap(middle(*baseline, p), middle(*control, p));
            n.threshold = std::max(least_claim, *n.floor);
        }
        s.noise.push_back(n);
    }
    for (const comparison_info& info : s.what->comparisons) {
        s.comparisons.push_back(compare(result, s, info));
    }
}

} // namespace

void judge(bench_result& result) {
    for (scenario_result& s : result.scenarios) {
        judge_scenario(result, s);
    }
    result.said = findings(result);
}

const char* to_string(outcome o) noexcept {
    return word_of(o, {"not judged", "win", "loss", "tie"});
}

std::string tie_rule() {
    return fmt::format("differences smaller than max(noise floor, {}, 2 standard errors) count as ties",
                       figures::percent(least_claim));
}

std::string why_not_judged(const bench_result& result) {
    std::size_t most = 0;
    for (const scenario_result& s : result.scenarios) {
        most = std::max(most, s.least_rounds);
    }
    return why_not_judged(result, most);
}

std::string why_not_judged(const bench_result& result, std::size_t done) {
    if (done >= rounds_to_judge) {
        return {};
    }
    too_few_rounds rounds;
    rounds.done = done;
    rounds.seconds = result.seconds;
    rounds.why = !result.complete()      ? stop_reason::interrupted
                 : result.budget_spent() ? stop_reason::budget
                                         : stop_reason::rounds;
    rounds.others = result.scenarios.size() > 1 ? "name fewer scenarios" : "";
    return text_of(rounds, "to tell a difference from noise") + '.';
}

} // namespace linn::tool
