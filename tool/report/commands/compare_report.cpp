// SPDX-License-Identifier: Apache-2.0
#include "../../compare/compare_files.hpp"
#include "../../compare/trace_comparison.hpp"
#include "../../measure/suggest.hpp"
#include "../../measure/words.hpp"
#include "profile_parts.hpp"
#include "report_parts.hpp"
#include "reports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace linn::tool::report {
namespace {

using nlohmann::ordered_json;

ordered_json file_json(const result_file& file) {
    return {{"path", file.path},
            {"schema", file.schema},
            {"version", file.version},
            {"started", file.started},
            {"complete", file.complete}};
}

ordered_json series_name_json(const series_name& name) {
    return {{"scenario", text_or_null(name.scenario)},
            {"variant", text_or_null(name.variant)},
            {"contender", name.contender},
            {"measure", name.measure}};
}

ordered_json change_json(const series_change& c) {
    ordered_json json = series_name_json(c.name);
    json["unit"] = c.unit;
    json["old"] = {{"median", c.old_median}, {"samples", c.old_count}};
    json["new"] = {{"median", c.new_median}, {"samples", c.new_count}};
    json["change"] = c.change.middle;
    json["change_low"] = c.change.low;
    json["change_high"] = c.change.high;
    json["p"] = c.p;
    json["p_adjusted"] = c.p_adjusted;
    json["noise_floor"] = c.noise_floor;
    json["verdict"] = to_string(c.kind);
    return json;
}

/// The series of that kind, the largest change first.
std::vector<series_change> sorted_changes(const file_comparison& result, change_kind kind) {
    std::vector<series_change> changes = result.series;
    std::erase_if(changes, [&](const series_change& c) { return c.kind != kind; });
    std::ranges::stable_sort(changes, std::ranges::greater{},
                             [](const series_change& c) { return std::abs(c.change.middle); });
    return changes;
}

unit unit_named(const std::string& name) {
    return name == "ns" ? unit::nanoseconds : name == "bytes" ? unit::bytes : unit::number;
}

/// Four digits: changes of a few percent are the subject.
quantity median_of(const series_change& c, double value) {
    quantity q = figure_of(unit_named(c.unit), value);
    q.digits = 4;
    return q;
}

void add_changes(document& d, const file_comparison& r, change_kind kind, const char* id, const char* title) {
    table t{title,
            {{.heading = "what", .is_text = true},
             {.heading = "old", .droppable = 3},
             {.heading = "new", .droppable = 3},
             {.heading = "change"},
             {.heading = level_text(r.options.level) + " interval", .droppable = 2},
             {.heading = "p", .droppable = 4}}};
    for (const series_change& c : sorted_changes(r, kind)) {
        const bool is_finite = std::isfinite(c.change.middle);
        t.add({describe(c.name), median_of(c, c.old_median), median_of(c, c.new_median),
               is_finite ? cell{figure_of(unit::change, c.change.middle)} : cell{"from 0"},
               is_finite ? cell{bounds_of(unit::change, c.change.low, c.change.high)} : cell{},
               figure_of(unit::chance, c.p_adjusted)},
              kind == change_kind::regression ? emphasis::bad : emphasis::none);
    }
    if (!t.rows.empty()) {
        d.add_section(id, title).add(std::move(t));
    }
}

ordered_json compare_json(const file_comparison& r) {
    ordered_json json{{"verdict", r.verdict},
                      {"old", file_json(r.old_file)},
                      {"new", file_json(r.new_file)},
                      {"by", r.options.by == compare_by::ratio ? "ratio" : "absolute"},
                      {"threshold", r.options.threshold},
                      {"level", r.options.level},
                      {"regressions", r.count(change_kind::regression)},
                      {"improvements", r.count(change_kind::improvement)},
                      {"unchanged", r.count(change_kind::unchanged)},
                      {"undecided", r.count(change_kind::undecided)},
                      {"warnings", r.warnings}};
    json["rows"] = list_json(r.series, change_json);
    json["appeared"] = list_json(r.appeared, series_name_json);
    json["vanished"] = list_json(r.vanished, series_name_json);
    return result_json("linn.compare/1", json);
}

} // namespace

document compare_document(const file_comparison& r) {
    document d{.command = "linn compare",
               .question = "What changed between the two results?",
               .started = r.new_file.started,
               .lead = r.verdict + '.'};
    d.add(paragraph{fmt::format(
        "Compared: {}, old {} and new {}. A change is reported when it is larger than {} and than the noise "
        "floor of both files, and significant at {} over all rows together.",
        r.options.by == compare_by::ratio
            ? fmt::format("ratios to {} of the same file", r.old_file.reference())
            : "values",
        r.old_file.path, r.new_file.path, level_text(r.options.threshold), level_text(r.options.level))});
    add_changes(d, r, change_kind::regression, "regressions", "Regressions");
    add_changes(d, r, change_kind::improvement, "improvements", "Improvements");
    add_changes(d, r, change_kind::undecided, "undecided", "Undecided");
    constexpr std::size_t most_names = 12;
    list names{{}, {}, most_names};
    for (const series_name& name : r.vanished) {
        names.lines.push_back("gone: " + describe(name));
    }
    for (const series_name& name : r.appeared) {
        names.lines.push_back("new: " + describe(name));
    }
    d.add_section("rows", "Rows of one file only", forms::page).add(std::move(names));
    d.warnings = r.warnings;
    d.json = [&] { return compare_json(r); };
    d.data = [&] {
        return data_of(list_json(r.series, change_json),
                       "scenario variant contender measure unit old=old/median new=new/median change "
                       "change_low change_high p p_adjusted noise_floor verdict");
    };
    return d;
}

namespace {

/// The name of a field: "live_bytes".
std::string field_of(std::size_t measure) {
    std::string name = to_string(static_cast<profile_measure>(measure));
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

ordered_json counts_json(const trace_counts_of_work& counts) {
    ordered_json json = ordered_json::object();
    for (std::size_t i = 0; i != counts.size(); ++i) {
        json[field_of(i)] = counts[i];
    }
    return json;
}

ordered_json trace_json_of(const compared_trace& t) {
    ordered_json all = ordered_json::object();
    for (std::size_t i = 0; i != summed_measures; ++i) {
        all[field_of(i)] = t.profile.all.of[i];
    }
    return {{"path", t.profile.path.string()},
            {"command", t.info().command},
            {"started", t.info().started},
            {"work", t.work},
            {"recorded", all},
            {"peak_bytes", t.profile.analysis.all.peak_live_bytes},
            {"whole", t.incomplete.empty()},
            {"incomplete", t.incomplete}};
}

ordered_json trace_row_json(const trace_row& r) {
    ordered_json json = row_name_json(r);
    json["change"] = to_string(r.change);
    json["changed_in"] = known_or_null(r.change != row_change::same, to_string(r.changed_in));
    json["old"] = counts_json(r.old_counts);
    json["new"] = counts_json(r.new_counts);
    return json;
}

/// Those that differ; a program has thousands of stacks that do not.
ordered_json rows_json(const std::vector<trace_row>& rows) {
    return list_json(std::span{rows}.first(changed_rows(rows)), trace_row_json);
}

const char* kind_of(const work_unit& per) {
    return word_of(per.what, {"run", "allocations", "number", "type"});
}

cell difference_cell(profile_measure m, double change) {
    if (change == 0) {
        return {"-"};
    }
    return change > 0 ? cell{"+", figure_of(m, change)} : cell{figure_of(m, change)};
}

/// "+12 %", "from 0", or "-" for no change; also what is too small for a digit says whether it grew.
cell share_cell(double difference, double old) {
    if (difference == 0 || !(old > 0)) {
        return difference > 0 ? "from 0" : "-";
    }
    const double share = difference / old;
    return share < 0 && share > -0.0005 ? cell{"-0.0 %"} : cell{figure_of(unit::change, share)};
}

/// "+12 %", or the word for a row that only one recording has.
cell change_cell(const trace_row& r, profile_measure by) {
    return r.change == row_change::added || r.change == row_change::gone
               ? cell{to_string(r.change)}
               : share_cell(r.difference(by), r.old_counts[static_cast<std::size_t>(by)]);
}

table totals_table(const trace_comparison& c) {
    table t{"Both recordings as a whole",
            {{.heading = c.unit.empty() ? "of the run" : "per " + c.unit, .is_text = true},
             {.heading = "old"},
             {.heading = "new"},
             {.heading = "change", .droppable = 1},
             {.heading = "%"}}};
    const auto add = [&](const char* name, profile_measure m, double before, double after) {
        const double change = after - before;
        t.add({name, figure_of(m, before), figure_of(m, after), difference_cell(m, change),
               share_cell(change, before)});
    };
    for (std::size_t i = 0; i != summed_measures; ++i) {
        const auto m = static_cast<profile_measure>(i);
        add(words_of(m), m, c.old_all[i], c.new_all[i]);
    }
    const auto peak = [](const compared_trace& trace) {
        return static_cast<double>(trace.profile.analysis.all.peak_live_bytes);
    };
    add("bytes live at most", profile_measure::bytes, peak(c.old_trace), peak(c.new_trace));
    if (!c.unit.empty()) {
        t.remarks.push_back("bytes live at most and what is never released are not divided");
    }
    return t;
}

row change_row(const trace_row& r, profile_measure by) {
    const auto value = [&](const trace_counts_of_work& counts) {
        return figure_of(by, counts[static_cast<std::size_t>(by)]);
    };
    const auto other = [&](profile_measure m) {
        return m == by || r.difference(m) == 0 ? cell{} : difference_cell(m, r.difference(m));
    };
    return {{value(r.old_counts), value(r.new_counts), difference_cell(by, r.difference(by)),
             change_cell(r, by), other(profile_measure::bytes), other(profile_measure::live_bytes)},
            r.difference(r.changed_in) > 0 ? emphasis::bad : emphasis::good};
}

/// The rows that differ, under a heading; nothing where none does.
void add_changed(document& d, const trace_comparison& c, row_kind kind, const char* title,
                 const std::vector<trace_row>& rows, std::size_t top) {
    const std::size_t changed = changed_rows(rows);
    if (changed == 0) {
        return;
    }
    const profile_measure by = c.options.by;
    const std::string group = words_of(by);
    const std::vector<column> columns{{.heading = "old", .group = group, .droppable = 2},
                                      {.heading = "new", .group = group, .droppable = 2},
                                      {.heading = "change", .group = group},
                                      {.heading = "%", .group = group},
                                      {.heading = "bytes", .group = "change of", .droppable = 1},
                                      {.heading = "never released", .group = "change of", .droppable = 3}};
    d.add_section(to_string(kind), title)
        .add(table_of(kind, title, columns, std::span{rows}.first(changed), top,
                      [&](const trace_row& r) { return change_row(r, by); }));
}

std::string method_text(const trace_comparison& c) {
    std::string words = fmt::format("Compared: old {} and new {}, by {}, ", c.old_trace.profile.path.string(),
                                    c.new_trace.profile.path.string(), words_of(c.options.by));
    const auto work = [](double n) {
        quantity q = figure_of(n == std::floor(n) ? unit::count : unit::number, n);
        return q.text(lettering::prose);
    };
    switch (c.options.per.what) {
    case work_unit::kind::run:
        words += "each recording as a whole.";
        break;
    case work_unit::kind::allocations:
        words += "per 1000 allocations of each recording.";
        break;
    case work_unit::kind::number:
        words += fmt::format("divided by the work: {} in the old one, {} in the new one.",
                             work(c.old_trace.work), work(c.new_trace.work));
        break;
    case work_unit::kind::type:
        words += fmt::format("per allocation of {}: {} in the old one, {} in the new one.",
                             c.options.per.type, work(c.old_trace.work), work(c.new_trace.work));
        break;
    }
    if (c.options.threshold > 0) {
        words += fmt::format(" Changes of {} and less are left out.", percent(c.options.threshold));
    }
    return words;
}

/// A line for each row, also for those that do not differ.
data_table lines_of(const trace_comparison& c) {
    return data_of(lines_of_tables(c, trace_row_json),
                   "what type function=place/function file=place/file line=place/line stack change "
                   "old_allocations=old/allocations old_bytes=old/bytes old_temporary=old/temporary "
                   "old_live_blocks=old/live_blocks old_live_bytes=old/live_bytes "
                   "new_allocations=new/allocations new_bytes=new/bytes new_temporary=new/temporary "
                   "new_live_blocks=new/live_blocks new_live_bytes=new/live_bytes");
}

ordered_json trace_compare_json(const trace_comparison& c) {
    ordered_json json{{"verdict", c.verdict},
                      {"differs", c.differs()},
                      {"old", trace_json_of(c.old_trace)},
                      {"new", trace_json_of(c.new_trace)},
                      {"by", to_string(c.options.by)},
                      {"per", {{"kind", kind_of(c.options.per)}, {"unit", text_or_null(c.unit)}}},
                      {"threshold", c.options.threshold},
                      {"broken", c.broken},
                      {"warnings", c.warnings}};
    json["all"] = {{"old", counts_json(c.old_all)}, {"new", counts_json(c.new_all)}};
    json["types"] = rows_json(c.types);
    json["places"] = rows_json(c.places);
    json["stacks"] = rows_json(c.stacks);
    json["unchanged"] = {{"types", c.types.size() - changed_rows(c.types)},
                         {"places", c.places.size() - changed_rows(c.places)},
                         {"stacks", c.stacks.size() - changed_rows(c.stacks)}};
    return result_json("linn.trace-compare/1", json);
}

} // namespace

document trace_compare_document(const trace_comparison& c, std::size_t top) {
    document d{.command = "linn compare",
               .subject = shell_words(c.new_trace.info().command),
               .question = "What changed in its allocations?",
               .started = c.new_trace.info().started,
               .lead = c.verdict + '.'};
    d.add(paragraph{method_text(c)});
    if (!c.broken.empty()) {
        d.add(list{c.broken, "Over the limit:"});
    }
    if (c.differs()) {
        d.add_section("totals", "All together").add(totals_table(c));
        add_changed(d, c, row_kind::types, "Types, the largest change first", c.types, top);
        add_changed(d, c, row_kind::places, "Places, the largest change first", c.places, top);
        add_changed(d, c, row_kind::stacks, "Stacks that changed most", c.stacks, top);
    }
    d.warnings = c.warnings;
    d.json = [&] { return trace_compare_json(c); };
    d.data = [&] { return lines_of(c); };
    return d;
}

} // namespace linn::tool::report
