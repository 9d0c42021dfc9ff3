// SPDX-License-Identifier: Apache-2.0
#include "trace_comparison.hpp"

#include "../measure/suggest.hpp"
#include "../measure/words.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace linn::tool {
namespace {

constexpr double rounding = 1e-9; // of a value that was divided by the work
constexpr std::size_t most_named = 3;

/// More work does not make a program keep more.
bool counts_work(profile_measure m) {
    return m != profile_measure::live_blocks && m != profile_measure::live_bytes;
}

/// Measures whose change makes a row worth showing. Temporary allocations depend on the order of threads.
constexpr std::array shown_measures{profile_measure::allocations, profile_measure::bytes,
                                    profile_measure::live_blocks, profile_measure::live_bytes};

enum class side { older, newer };

/// Rows while sites are added; which row a site belongs to is decided by its key.
class row_table {
public:
    struct growing {
        trace_row row;
        std::uint64_t smallest = ~std::uint64_t{0};
        std::uint64_t largest = 0;
        std::string where;                        // of unnamed blocks
        std::map<side, std::set<unsigned>> lines; // of a place
    };

    growing& at(const std::string& key) { return rows_[key]; }

    std::vector<trace_row> sorted(const trace_compare_options& options) {
        std::map<std::string, trace_row> rows;
        for (auto& [key, g] : rows_) {
            if (!g.where.empty()) {
                g.row.label = blocks_label(g.smallest, g.largest, g.where);
            }
            if (!g.lines.empty() && g.lines.rbegin()->second.size() > 1) {
                g.row.place.line = 0; // none of them made what is their sum
            }
            judge(g.row, options);
            rows.emplace(key, std::move(g.row));
        }
        return sorted_rows(std::move(rows), [&](const trace_row& r) {
            return std::tuple{r.change != row_change::same, std::abs(r.difference(options.by)),
                              std::abs(r.difference(profile_measure::bytes))};
        });
    }

private:
    static bool differs(const trace_row& r, profile_measure m, double threshold) {
        const auto i = static_cast<std::size_t>(m);
        const double before = r.old_counts[i];
        const double most = std::max(before, r.new_counts[i]);
        return std::abs(r.difference(m)) > std::max(threshold * before, rounding * most);
    }

    static void judge(trace_row& r, const trace_compare_options& options) {
        std::vector<profile_measure> measures{options.by};
        measures.insert(measures.end(), shown_measures.begin(), shown_measures.end());
        const auto found = std::ranges::find_if(
            measures, [&](profile_measure m) { return differs(r, m, options.threshold); });
        if (found == measures.end()) {
            return;
        }
        const auto is_none = [](const trace_counts_of_work& counts) {
            return std::ranges::all_of(counts, [](double v) { return v == 0; });
        };
        r.changed_in = *found;
        r.change = is_none(r.old_counts)      ? row_change::added
                   : is_none(r.new_counts)    ? row_change::gone
                   : r.difference(*found) > 0 ? row_change::grown
                                              : row_change::shrunk;
    }

    std::map<std::string, growing> rows_;
};

void add_counts(trace_row& row, side which, const profile_counts& counts, double work) {
    trace_counts_of_work& to = which == side::older ? row.old_counts : row.new_counts;
    for (std::size_t i = 0; i != to.size(); ++i) {
        to[i] +=
            static_cast<double>(counts.of[i]) / (counts_work(static_cast<profile_measure>(i)) ? work : 1);
    }
}

void add_site(trace_comparison& c, row_table& types, row_table& places, row_table& stacks,
              const trace_profile& profile, std::size_t index, side which) {
    const profile_site& site = profile.sites[index];
    const site_statistics& s = profile.analysis.sites[index].statistics;
    const double work = which == side::older ? c.old_trace.work : c.new_trace.work;
    const auto add = [&](row_table& table, const std::string& key) -> trace_row& {
        row_table::growing& g = table.at(key);
        g.smallest = std::min(g.smallest, s.smallest);
        g.largest = std::max(g.largest, s.largest);
        g.where = site.named.blocks.where;
        g.row.label = site.label;
        add_counts(g.row, which, site.counts, work);
        return g.row;
    };
    add(types, site.type_key());
    trace_row& stack = add(stacks, site.type_key() + site.callers_key());
    stack.place = site.named.place;
    stack.stack = site.named.frames;
    row_table::growing& place = places.at(frame_key(site.named.place));
    place.row.place = site.named.place;
    place.lines[which].insert(site.named.place.line);
    add_counts(place.row, which, site.counts, work);
}

/// How many units of work a recording did.
double work_of(const trace_profile& profile, const work_unit& per, side which) {
    switch (per.what) {
    case work_unit::kind::run:
        return 1;
    case work_unit::kind::allocations:
        return static_cast<double>(profile.all[profile_measure::allocations]) / 1000;
    case work_unit::kind::number:
        return which == side::older ? per.old_count : per.new_count;
    case work_unit::kind::type:
        break;
    }
    std::uint64_t count = 0;
    for (const profile_site& s : profile.sites) {
        count += s.label == per.type || s.named.type == per.type ? s.counts[profile_measure::allocations] : 0;
    }
    return static_cast<double>(count);
}

std::string unit_of(const work_unit& per) {
    return word_of(per.what, {"", "1000 allocations", "unit of work", per.type.c_str()});
}

std::string no_work(const trace_profile& profile, const work_unit& per) {
    if (per.what != work_unit::kind::type) {
        return fmt::format("--per: {} made no allocations", profile.path.string());
    }
    std::set<std::string> labels;
    for (const profile_site& s : profile.sites) {
        labels.insert(s.label);
    }
    const std::string guess = did_you_mean(per.type, {labels.begin(), labels.end()});
    return fmt::format("--per: {} allocates no '{}'{}", profile.path.string(), per.type,
                       guess.empty() ? "; linn advise lists its types" : guess);
}

std::string signed_text(profile_measure m, double value) {
    return (value > 0 ? "+" : "") + figure_of(m, value).text();
}

/// The types that changed most, as long as they do change by that measure.
std::string largest_changes(const trace_comparison& c) {
    std::vector<std::string> words;
    for (const trace_row& r : c.types) {
        if (words.size() == most_named || r.change == row_change::same || r.difference(c.options.by) == 0) {
            break;
        }
        words.push_back(fmt::format("{} {}", r.label, signed_text(c.options.by, r.difference(c.options.by))));
    }
    return fmt::format("{}", fmt::join(words, ", "));
}

std::string verdict_of(const trace_comparison& c) {
    const auto by = static_cast<std::size_t>(c.options.by);
    const double before = c.old_all[by];
    const double after = c.new_all[by];
    const std::string per = c.unit.empty() ? std::string{} : " per " + c.unit;
    const std::string both = fmt::format("{} to {}", figure_of(c.options.by, before).text(),
                                         figure_of(c.options.by, after).text());
    if (!c.differs() && c.lacks_events()) {
        return "Not known whether they differ: events are missing, and those that are there are the same";
    }
    if (!c.differs() && c.options.threshold > 0) {
        return fmt::format("No change of more than {}: {} {}{}", figures::percent(c.options.threshold), both,
                           words_of(c.options.by), per);
    }
    if (!c.differs()) {
        const double bytes = c.new_all[static_cast<std::size_t>(profile_measure::bytes)];
        return fmt::format("No difference: {} of {}{} in both recordings",
                           figures::counted(figure_of(profile_measure::allocations, c.new_all[0]),
                                            figures::lettering::plain, "allocation"),
                           figure_of(profile_measure::bytes, bytes).text(), per);
    }
    const std::string most = largest_changes(c);
    const std::string types = figures::counted(changed_rows(c.types), "type");
    if (std::abs(after - before) <= rounding * std::max(before, after)) {
        return most.empty() ? fmt::format("As many {}{} ({}), but {} changed otherwise",
                                          words_of(c.options.by), per, figure_of(c.options.by, after).text(),
                                          changed_rows(c.types) == 0 ? "places" : types)
                            : fmt::format("As many {}{} ({}), but {} changed: {}", words_of(c.options.by),
                                          per, figure_of(c.options.by, after).text(), types, most);
    }
    const char* const which = after > before ? "more" : "fewer";
    const std::string change =
        before > 0 ? fmt::format("{} {}", figures::percent(std::abs(after / before - 1)), which)
                   : std::string{which};
    return fmt::format("{} {}{} ({}): {}", change, words_of(c.options.by), per, both, most);
}

std::vector<std::string> broken_limits(const trace_comparison& c) {
    const auto by = static_cast<std::size_t>(c.options.by);
    const growth_limits& limits = c.options.limits;
    const double before = c.old_all[by];
    std::vector<std::string> broken;
    if (c.lacks_events() && (limits.share || limits.count)) {
        broken.emplace_back("events are missing, so no limit of growth is known to be kept");
    }
    const auto look = [&](const std::string& what, double growth) {
        const bool is_over_share =
            limits.share && growth > rounding * before && growth > *limits.share * before;
        const bool is_over_count = limits.count && growth > *limits.count;
        if (!is_over_share && !is_over_count) {
            return;
        }
        std::string words =
            fmt::format("{}: {} {}", what, signed_text(c.options.by, growth), words_of(c.options.by));
        if (before > 0) {
            words += fmt::format(", {} of all before", figures::percent(growth / before));
        }
        words += is_over_share
                     ? fmt::format("; allowed are {:g} %", *limits.share * 100)
                     : fmt::format("; allowed are {}", figure_of(c.options.by, *limits.count).text());
        broken.push_back(std::move(words));
    };
    look("all types together", c.new_all[by] - before);
    for (const trace_row& r : c.types) {
        if (r.change != row_change::same) {
            look(r.label, r.difference(c.options.by));
        }
    }
    return broken;
}

std::vector<std::string> warnings_of(const trace_comparison& c) {
    std::vector<std::string> warnings;
    for (const compared_trace* t : {&c.old_trace, &c.new_trace}) {
        for (const std::string& reason : t->incomplete) {
            warnings.push_back(fmt::format("{}: {}; what is missing looks like a difference",
                                           t->profile.path.string(), reason));
        }
    }
    const trace_info& x = c.old_trace.info();
    const trace_info& y = c.new_trace.info();
    if (x.depth != y.depth) {
        warnings.push_back(
            fmt::format("stacks differ because they were recorded differently: up to {} calls, and up to {}",
                        x.depth, y.depth));
    }
    const auto program = [](const trace_info& info) { return program_name(recorded_program(info)); };
    if (program(x) != program(y)) {
        warnings.push_back(
            fmt::format("these are recordings of two programs: {} and {}", program(x), program(y)));
    } else if (c.unit.empty() && !std::equal(x.command.begin() + !x.command.empty(), x.command.end(),
                                             y.command.begin() + !y.command.empty(), y.command.end())) {
        warnings.push_back(
            "the program was called with other arguments; --per compares different amounts of work");
    }
    return warnings;
}

} // namespace

const char* to_string(row_change change) noexcept {
    return word_of(change, {"same", "new", "gone", "grown", "shrunk"});
}

std::size_t changed_rows(const std::vector<trace_row>& rows) noexcept {
    return static_cast<std::size_t>(
        std::ranges::find_if(rows, [](const trace_row& r) { return r.change == row_change::same; }) -
        rows.begin());
}

bool trace_comparison::differs() const noexcept {
    return changed_rows(types) + changed_rows(places) + changed_rows(stacks) != 0;
}

trace_comparison compare_traces(trace_profile old_trace, trace_profile new_trace,
                                const trace_compare_options& options) {
    trace_comparison c;
    c.options = options;
    c.old_trace.profile = std::move(old_trace);
    c.new_trace.profile = std::move(new_trace);
    row_table types;
    row_table places;
    row_table stacks;
    trace_row whole;
    for (const auto& [trace, which] :
         {std::pair{&c.old_trace, side::older}, std::pair{&c.new_trace, side::newer}}) {
        trace->incomplete = why_incomplete(trace->info());
        trace->work = work_of(trace->profile, options.per, which);
        if (!(trace->work > 0)) {
            c.problem = no_work(trace->profile, options.per);
            return c;
        }
        for (std::size_t i = 0; i != trace->profile.sites.size(); ++i) {
            add_site(c, types, places, stacks, trace->profile, i, which);
        }
        add_counts(whole, which, trace->profile.all, trace->work);
    }
    c.unit = unit_of(options.per);
    c.old_all = whole.old_counts;
    c.new_all = whole.new_counts;
    c.types = types.sorted(options);
    c.places = places.sorted(options);
    c.stacks = stacks.sorted(options);
    c.verdict = verdict_of(c);
    c.broken = broken_limits(c);
    c.warnings = warnings_of(c);
    return c;
}

} // namespace linn::tool
