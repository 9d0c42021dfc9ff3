// SPDX-License-Identifier: Apache-2.0
#include "../../advise/change_text.hpp"
#include "../../advise/type_groups.hpp"
#include "../../measure/suggest.hpp"
#include "../plots/advise_plots.hpp"
#include "../plots/flame_plot.hpp"
#include "advise_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace linn::tool::report {
namespace {

std::string about(std::uint64_t count, std::string_view thing) {
    return counted(figure_of(unit::about, static_cast<double>(count)), lettering::plain, thing);
}

} // namespace

cell time_cell(const advice& a, const site_time& time) {
    if (!a.analysis.time.is_known()) {
        return figure_of(unit::share, unknown_bound);
    }
    const time_share share = time.share();
    quantity q = bounds_of(unit::share, share.low, share.high);
    q.value = share.value;
    return q;
}

cell remote_cell(const advised_type& type) {
    const site_statistics& s = type.statistics;
    return figure_of(unit::share, s.releases == 0 ? unknown_bound
                                                  : static_cast<double>(s.remote_releases) /
                                                        static_cast<double>(s.releases));
}

cell lifetime_cell(const advised_type& type) {
    const site_statistics& s = type.statistics;
    return figure_of(unit::nanoseconds, s.releases == 0 ? unknown_bound : s.lifetime_quantile(0.5));
}

cell size_cell(const advised_type& type) {
    const site_statistics& s = type.statistics;
    if (s.allocations == 0) {
        return {};
    }
    const bool is_named_by_sizes = !type.named.blocks.what.empty(); // all of them
    if (!is_named_by_sizes && s.uniformity() >= 0.9 && !s.sizes.empty()) {
        return figure_of(unit::bytes, static_cast<double>(s.sizes.front().first));
    }
    return bounds_of(unit::bytes, static_cast<double>(s.smallest), static_cast<double>(s.largest));
}

cell sampled_bytes_cell(const advised_type& type) {
    const site_statistics& s = type.statistics;
    if (s.spread.blocks == 0) {
        return "";
    }
    const sample_bounds b = bounds_of_sample(static_cast<double>(s.bytes), s.spread);
    return bounds_of(unit::bytes, b.low, b.high);
}

types_together sum_of(std::span<const advised_type* const> types) {
    types_together sum;
    for (const advised_type* const t : types) {
        ++sum.types;
        sum.allocations += t->statistics.allocations;
        sum.time.merge(t->statistics.time);
    }
    return sum;
}

std::string run_line(const advice& a) {
    const trace_info& info = a.analysis.info;
    std::string command = shell_words(info.command);
    if (command.size() > 200) {
        command = command.substr(0, 200) + "...";
    }
    std::string text =
        fmt::format("{}: {}{} and {} by {}", command, info.sample_bytes == 0 ? "" : "about ",
                    about(a.analysis.all.allocations, "allocation"),
                    about(a.analysis.all.releases, "release"), counted(info.threads.size(), "thread"));
    if (info.processes.size() > 1) {
        text += " of " + counted(info.processes.size(), "process");
    }
    if (const double cpu_ns = cost_of_program(info).cpu_ns; cpu_ns > 0) {
        text += fmt::format(", {} of CPU time without the recording",
                            figure_of(unit::nanoseconds, cpu_ns).text());
    }
    return text;
}

std::string method_line(const advice& a) {
    const allocation_time& time = a.analysis.time;
    if (!time.is_known()) {
        return "the time in the allocator is not known: types stand in the order of their calls";
    }
    std::string text = fmt::format(
        "time: share of the program's CPU time in calls of the allocator and in the page faults of "
        "the blocks, 95 %; {} timed in the program",
        counted(figure_of(unit::about, static_cast<double>(time.samples)), lettering::plain, "call was",
                "calls were"));
    if (time.waiting >= 0.001) {
        text += fmt::format("; threads waited for the allocator's locks for {} more", percent(time.waiting));
    }
    return text;
}

namespace {

constexpr std::size_t most_rows = 60;
constexpr std::size_t first_rows = 10;
constexpr double least_time = 0.002; // of the CPU time, for a row of its own behind the first few
constexpr std::size_t most_small = 1000;
constexpr std::size_t most_places_of_a_type = 12;
constexpr std::size_t most_callers_of_a_type = 12;
constexpr std::size_t summary_letters = 200;
constexpr std::size_t words_letters = 600; // of a sentence from outside

using html::typeset;

quantity count_of(std::uint64_t n) {
    return figure_of(unit::count, static_cast<double>(n));
}

quantity bytes_of(std::uint64_t n) {
    return figure_of(unit::bytes, static_cast<double>(n));
}

table places_of(const advised_type& t) {
    table places{"Where it is allocated",
                 {{.heading = "place", .is_text = true},
                  {.heading = "function", .is_text = true, .shorten = cut::end},
                  {.heading = "share"}}};
    for (std::size_t i = 0; i != std::min(t.places.size(), most_places_of_a_type); ++i) {
        const advised_place& p = t.places[i];
        const std::string place = html::full_place(p.frame);
        const std::string where = !place.empty() ? place : p.frame.library;
        places.add({where.empty() ? "not known" : where, p.frame.function, figure_of(unit::share, p.share)});
    }
    if (t.places.size() > most_places_of_a_type) {
        places.rows.push_back({{fmt::format("{} more", t.places.size() - most_places_of_a_type), "", ""},
                               emphasis::none,
                               row::kind::last});
    }
    return places;
}

std::vector<block> callers_of(const advised_type& t) {
    if (t.places.empty() || t.places.front().callers.empty()) {
        return {};
    }
    const std::vector<symbol_frame>& callers = t.places.front().callers;
    list frames;
    for (std::size_t i = 0; i != std::min(callers.size(), most_callers_of_a_type); ++i) {
        const symbol_frame& f = callers[i];
        const std::string place = html::short_place(f);
        const std::string& where = place.empty() ? f.library : place;
        frames.notes.push_back({html::shortened(f.function.empty() ? "unknown" : f.function, words_letters) +
                                (where.empty() ? std::string{} : ", " + where)});
    }
    return {
        block{fold{"Called from, by the most frequent path", std::vector<block>{block{std::move(frames)}}}}};
}

std::string sizes_text(const site_statistics& s) {
    std::string words;
    for (const auto& [size, count] : s.sizes) {
        words += fmt::format("{}{} ({})", words.empty() ? "" : ", ",
                             typeset(unit::bytes, static_cast<double>(size)),
                             typeset(unit::share, part_of(count, s.allocations)));
    }
    return words;
}

std::string count_and_share(std::uint64_t part, const site_statistics& s) {
    return part == 0 ? std::string{}
                     : fmt::format("{} ({})", count_of(part).text(lettering::typeset),
                                   typeset(unit::share, part_of(part, s.allocations)));
}

std::string never_released(const advised_type& t) {
    const site_statistics& s = t.statistics;
    if (s.live_at_end == 0) {
        return {};
    }
    std::string words = fmt::format("{}, {}", count_of(s.live_at_end).text(lettering::typeset),
                                    bytes_of(s.live_bytes_at_end).text(lettering::typeset));
    if (t.runtime_live != 0) {
        words += fmt::format(
            "; {} kept by the runtime library on purpose",
            t.runtime_live == s.live_at_end ? "all" : count_of(t.runtime_live).text(lettering::typeset));
    }
    return words;
}

facts facts_of(const advised_type& t) {
    const site_statistics& s = t.statistics;
    const std::string held = html::shortened(t.named.allocated, words_letters);
    const auto count = [](std::uint64_t n) { return count_of(n).text(lettering::typeset); };
    return {{{"What a block holds", held == t.name ? std::string{} : held},
             {"Sizes", sizes_text(s)},
             {"Lifetime, shortest 5 % to longest 5 %",
              s.releases == 0 ? std::string{}
                              : fmt::format("{} to {}", typeset(unit::nanoseconds, s.lifetime_quantile(0.05)),
                                            typeset(unit::nanoseconds, s.lifetime_quantile(0.95)))},
             {"Live at most", counted(count_of(s.peak_live), lettering::typeset, "block")},
             {"Allocated in a row at most", s.longest_burst > 1 ? count(s.longest_burst) : ""},
             {"Threads that allocate it", s.threads > 1 ? count(s.threads) : ""},
             {"Released by another thread", count_and_share(s.remote_releases, s)},
             {"Released at once", count_and_share(s.temporary, s)},
             {"Moved by realloc", count_and_share(s.reallocations, s)},
             {"Never released", never_released(t)},
             {"Zeros written at once",
              s.fills == 0 ? std::string{}
                           : fmt::format("{}, {}", counted(count_of(s.fills), lettering::typeset, "time"),
                                         bytes_of(s.filled_bytes).text(lettering::typeset))},
             {"Named by", to_string(t.named.rule)}}};
}

fold details_of(const advised_type& t) {
    std::string summary = t.places.empty() ? std::string{} : place_text(t.places.front().frame);
    if (summary.empty()) {
        summary = "place not known";
    }
    if (t.places.size() > 1) {
        summary += fmt::format(" and {} more", t.places.size() - 1);
    }
    fold f{html::shortened(summary, summary_letters),
           {block{paragraph{t.why}}, block{paragraph{huge_pages_text(t)}}}};
    f.blocks.push_back({code{t.snippet, true}});
    f.blocks.push_back({places_of(t)});
    for (block& b : callers_of(t)) {
        f.blocks.push_back(std::move(b));
    }
    f.blocks.push_back({picture{[&t](html::id_source& ids) {
        return html::block_histograms(ids, t.statistics, "Lifetime", "Size");
    }}});
    f.blocks.push_back({facts_of(t)});
    return f;
}

std::vector<cell> cells_of(const advice& a, const advised_type& t) {
    const site_statistics& s = t.statistics;
    return {label_of(t),
            t.part.empty() ? "–" : t.part,
            time_cell(a, s.time),
            count_of(s.allocations),
            figure_of(unit::share, t.share),
            bytes_of(s.bytes),
            sampled_bytes_cell(t),
            size_cell(t),
            bytes_of(s.peak_live_bytes),
            lifetime_cell(t),
            remote_cell(t)};
}

table table_of(const advice& a, std::string caption) {
    const bool is_sample = a.analysis.info.sample_bytes != 0;
    return {std::move(caption),
            {{.heading = "type", .is_text = true, .shorten = cut::end},
             {.heading = "use", .is_text = true, .shorten = cut::end},
             {.heading = "time",
              .group = "share of CPU time",
              .shown_in = a.analysis.time.is_known() ? forms::html : forms::nowhere},
             {.heading = "count", .group = "allocations"},
             {.heading = "share", .group = "allocations"},
             {.heading = "bytes", .group = "allocations"},
             {.heading = "bytes, 95 %",
              .group = "allocations",
              .shown_in = is_sample ? forms::html : forms::nowhere},
             {.heading = "size", .group = "allocations"},
             {.heading = "bytes", .group = "live at most"},
             {.heading = "lifetime", .group = "median"},
             {.heading = "remote", .group = "released"}}};
}

/// How many types have a row of their own: those that take time, and the first few in any case.
std::size_t rows_of(const advice& a) {
    std::size_t rows = std::min(a.types.size(), most_rows);
    while (rows > first_rows && a.analysis.time.is_known() &&
           a.types[rows - 1].statistics.time.share().value < least_time) {
        --rows;
    }
    return rows;
}

} // namespace

void add_page_of_types(section& to, const advice& a) {
    if (a.types.empty()) {
        return;
    }
    const bool is_known = a.analysis.time.is_known();
    const std::size_t rows = rows_of(a);
    table types = table_of(a, is_known ? "Most time in the allocator first" : "Most calls first");
    for (std::size_t i = 0; i != rows; ++i) {
        const advised_type& t = a.types[i];
        row& r = types.add(cells_of(a, t), is_pool(t.what) ? emphasis::ours : emphasis::none);
        r.detail.push_back({details_of(t), forms::html});
    }
    if (rows == a.types.size()) {
        to.add(std::move(types), forms::html);
        return;
    }
    std::vector<const advised_type*> small;
    table rest = table_of(a, "Further types");
    for (std::size_t i = rows; i != a.types.size(); ++i) {
        small.push_back(&a.types[i]);
        if (small.size() <= most_small) {
            rest.add(cells_of(a, a.types[i]));
        }
    }
    const types_together sum = sum_of(small);
    std::string words = counted(sum.types, "more type");
    std::vector<cell> cells(types.columns.size());
    cells[0] = words;
    cells[2] = time_cell(a, sum.time);
    cells[3] = count_of(sum.allocations);
    cells[4] = figure_of(unit::share, part_of(sum.allocations, a.analysis.all.allocations));
    types.rows.push_back({std::move(cells), emphasis::none, row::kind::last});
    to.add(std::move(types), forms::html);
    if (is_known) {
        words += ", " + typeset(unit::share, sum.time.share().value);
    }
    to.add(fold{std::move(words), {block{std::move(rest)}}}, forms::html);
}

} // namespace linn::tool::report
