// SPDX-License-Identifier: Apache-2.0
#include "advise_types.hpp"

#include "../../advise/type_groups.hpp"
#include "../advise_cells.hpp"
#include "../plots/flame_tree.hpp"
#include "../plots/histogram_plot.hpp"
#include "../plots/linear_axis.hpp"
#include "../plots/numbers.hpp"
#include "../render/html_table.hpp"
#include "../render/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace linn::tool::html {
namespace {

constexpr std::size_t most_rows = 200;
constexpr std::size_t most_details = 60;
constexpr std::size_t most_places = 12;
constexpr std::size_t most_callers = 12;
constexpr std::size_t name_letters = 120;
constexpr std::ptrdiff_t measured_column = 3;
constexpr std::size_t words_letters = 600; // of a function or a sentence from outside

double as_double(std::uint64_t n) {
    return static_cast<double>(n);
}

double part_of(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : as_double(part) / as_double(whole);
}

/// The words whole to whom points at them, and as many as there is room for.
markup cut(std::string_view words, std::size_t letters) {
    const std::string shown = shortened(words, letters);
    return shown == words ? text(words)
                          : element("span", {{"title", shortened(words, words_letters)}}, text(shown));
}

html_cell lifetime_cell(const site_statistics& s) {
    if (s.releases == 0)
        return words_cell("–");
    const double median = s.lifetime_quantile(0.5);
    return number_cell(median, duration_text(median));
}

/// How many sizes: one, or from where to where.
html_cell size_cell(const site_statistics& s) {
    if (s.sizes.empty())
        return words_cell("–");
    const std::string main = bytes_text(as_double(s.sizes.front().first));
    return number_cell(as_double(s.sizes.front().first),
                       s.smallest == s.largest ? main
                                               : fmt::format("{} – {}", bytes_text(as_double(s.smallest)),
                                                             bytes_text(as_double(s.largest))));
}

/// A change as lines with a sign in front; those that go and those that come are set apart.
markup diff(const std::string& snippet) {
    markup lines;
    for (std::size_t at = 0; at < snippet.size();) {
        const std::size_t end = std::min(snippet.find('\n', at), snippet.size());
        const std::string_view line = std::string_view{snippet}.substr(at, end - at);
        const markup words = text(line);
        lines += line.starts_with('-')   ? element("del", words)
                 : line.starts_with('+') ? element("ins", words)
                                         : words;
        lines += text("\n");
        at = end + 1;
    }
    return lines.empty() ? lines : element("pre", {{"class", "diff"}}, lines);
}

markup place_list(const advised_type& t) {
    html_table table{"Where it is allocated",
                     {{"place", {}, true}, {"function", {}, true}, {"share", {}, false}}};
    for (std::size_t i = 0; i != std::min(t.places.size(), most_places); ++i) {
        const advised_place& p = t.places[i];
        const std::string place = full_place(p.frame);
        table.add_row({words_cell(place.empty() ? "not known" : place),
                       {cut(p.frame.function, name_letters), {}},
                       number_cell(p.share, percent_text(p.share))});
    }
    if (t.places.size() > most_places)
        table.add_footnote_row({words_cell(fmt::format("{} more", t.places.size() - most_places)),
                                words_cell(""), words_cell("")});
    return table.empty() ? markup{} : table.draw();
}

markup caller_list(const advised_type& t) {
    if (t.places.empty() || t.places.front().callers.empty())
        return {};
    const std::vector<symbol_frame>& callers = t.places.front().callers;
    markup list;
    for (std::size_t i = 0; i != std::min(callers.size(), most_callers); ++i) {
        const symbol_frame& f = callers[i];
        const std::string place = short_place(f);
        list += element("li", cut(f.function.empty() ? "unknown" : f.function, name_letters) +
                                  element("span", {{"class", "where"}},
                                          text(place.empty() ? std::string{} : " " + place)));
    }
    return folded("Called from, on the most frequent way", element("ol", {{"class", "callers"}}, list));
}

std::string sizes_text(const site_statistics& s) {
    std::string words;
    for (const auto& [size, count] : s.sizes)
        words += fmt::format("{}{} ({})", words.empty() ? "" : ", ", bytes_text(as_double(size)),
                             percent_text(part_of(count, s.allocations)));
    return words;
}

std::string count_and_share(std::uint64_t part, const site_statistics& s) {
    return part == 0 ? std::string{}
                     : fmt::format("{} ({})", count_text(as_double(part)),
                                   percent_text(part_of(part, s.allocations)));
}

std::string never_released(const advised_type& t) {
    const site_statistics& s = t.statistics;
    if (s.live_at_end == 0)
        return {};
    std::string words = fmt::format("{}, {}", count_text(as_double(s.live_at_end)),
                                    bytes_text(as_double(s.live_bytes_at_end)));
    if (t.runtime_live != 0)
        words += fmt::format("; {} kept by the runtime library on purpose",
                             t.runtime_live == s.live_at_end ? "all" : count_text(as_double(t.runtime_live)));
    return words;
}

markup facts(const advised_type& t) {
    const site_statistics& s = t.statistics;
    const std::string block = shortened(t.named.allocated, words_letters);
    return description_list(
        {{"What a block holds", block == t.name ? std::string{} : block},
         {"Sizes", sizes_text(s)},
         {"Lifetime, shortest 5 % to longest 5 %",
          s.releases == 0 ? std::string{}
                          : fmt::format("{} to {}", duration_text(s.lifetime_quantile(0.05)),
                                        duration_text(s.lifetime_quantile(0.95)))},
         {"Live at most", count_text(as_double(s.peak_live)) + " blocks"},
         {"Allocated in a row at most", s.longest_burst > 1 ? count_text(as_double(s.longest_burst)) : ""},
         {"Threads that allocate it", s.threads > 1 ? count_text(as_double(s.threads)) : ""},
         {"Released by another thread", count_and_share(s.remote_releases, s)},
         {"Released at once", count_and_share(s.temporary, s)},
         {"Moved by realloc", count_and_share(s.reallocations, s)},
         {"Never released", never_released(t)},
         {"Served by the change of", t.served_with},
         {"Gain", t.estimated_because == estimate_reason::none
                      ? std::string{}
                      : std::string{"an estimate ("} + to_string(t.estimated_because) + ")"},
         {"All its allocations take",
          t.cost.high > 0 ? range_text(unit::share, t.cost.low, t.cost.high) + " of the run, estimated"
                          : std::string{}},
         {"Zeros written at once", s.fills == 0 ? std::string{}
                                                : fmt::format("{} times, {}", count_text(as_double(s.fills)),
                                                              bytes_text(as_double(s.filled_bytes)))},
         {"Named by", to_string(t.named.rule)}});
}

markup histograms(id_source& ids, const site_statistics& s) {
    const markup pair = draw(ids, histogram_plot{"Lifetime", unit::nanoseconds, s.lifetimes}) +
                        draw(ids, histogram_plot{"Size", unit::bytes, s.size_histogram});
    return pair.empty() ? pair : element("div", {{"class", "histograms"}}, pair);
}

markup details(id_source& ids, const advised_type& t) {
    std::string summary = t.places.empty() ? std::string{} : short_place(t.places.front().frame);
    if (summary.empty())
        summary = "place not known";
    if (t.places.size() > 1)
        summary += fmt::format(" and {} more", t.places.size() - 1);
    markup content =
        paragraph(t.why) + (t.tried || !t.not_tried.empty() ? paragraph(tried_text(t)) : markup{}) +
        diff(t.snippet) + place_list(t) + caller_list(t) + histograms(ids, t.statistics) + facts(t);
    return element("details",
                   element("summary", cut(summary, 200)) + element("div", {{"class", "more-box"}}, content));
}

html_cell measured_cell(const advised_type& t) {
    if (!t.tried)
        return {cut(t.not_tried.empty() ? "–" : t.not_tried, 40), {}};
    return number_cell(t.tried->saved, cells_of(t).measured);
}

std::vector<html_cell> row_of(const advised_type& t, bool is_tried) {
    const site_statistics& s = t.statistics;
    const double remote = part_of(s.remote_releases, s.releases);
    std::vector<html_cell> row{
        {cut(label_of(t), name_letters), {}},
        {cut(t.part.empty() ? "–" : t.part, name_letters), {}},
        !t.served_with.empty()
            ? number_cell(0, "shared")
            : number_cell(t.gain.high,
                          (t.gain.high > 0 && !t.is_gain_measured ? "~" : "") + gain_text(t.gain)),
        number_cell(as_double(s.allocations), count_text(as_double(s.allocations))),
        number_cell(t.share, percent_text(t.share)),
        number_cell(as_double(s.bytes), bytes_text(as_double(s.bytes))),
        size_cell(s),
        number_cell(as_double(s.peak_live_bytes), bytes_text(as_double(s.peak_live_bytes))),
        lifetime_cell(s),
        number_cell(remote, s.remote_releases == 0 ? "–" : percent_text(remote))};
    if (is_tried)
        row.insert(row.begin() + measured_column, measured_cell(t));
    return row;
}

} // namespace

std::string gain_text(const gain_range& g) {
    if (!(g.high > 0))
        return "–";
    return range_text(unit::share, g.low, g.high);
}

markup type_table(id_source& ids, const advice& a) {
    const bool is_tried = a.tried.has_value();
    std::vector<html_column> columns{{"type", {}, true},
                                     {"use", {}, true},
                                     {"gain", "share of the run", false},
                                     {"count", "allocations", false},
                                     {"share", "allocations", false},
                                     {"bytes", "allocations", false},
                                     {"size", "allocations", false},
                                     {"bytes", "live at most", false},
                                     {"lifetime", "median", false},
                                     {"remote", "released", false}};
    if (is_tried)
        columns.insert(columns.begin() + measured_column, {"measured", "by linn try", false});
    html_table table{
        std::string{"The largest predicted gain first, then the most allocations; ~: estimated from counts"} +
            (is_tried ? "; measured: a lower bound, in parentheses with other types as one" : ""),
        columns};
    std::uint64_t left_out = 0;
    for (std::size_t i = 0; i != a.types.size(); ++i) {
        const advised_type& t = a.types[i];
        if (i >= most_rows) {
            left_out += t.statistics.allocations;
            continue;
        }
        table.add_row(row_of(t, is_tried), is_pool(t.what) ? emphasis::ours : emphasis::none);
        if (i < most_details)
            table.add_detail(details(ids, t));
    }
    if (a.types.size() > most_rows) {
        std::vector<html_cell> row{words_cell(fmt::format("{} more types", a.types.size() - most_rows)),
                                   words_cell(""),
                                   words_cell(""),
                                   words_cell(count_text(as_double(left_out))),
                                   words_cell(percent_text(part_of(left_out, a.analysis.all.allocations))),
                                   words_cell(""),
                                   words_cell(""),
                                   words_cell(""),
                                   words_cell(""),
                                   words_cell("")};
        if (is_tried)
            row.insert(row.begin() + measured_column, words_cell(""));
        table.add_footnote_row(row);
    }
    return table.empty() ? markup{} : table.draw();
}

} // namespace linn::tool::html
