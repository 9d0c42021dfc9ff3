// SPDX-License-Identifier: Apache-2.0
#include "compare_report.hpp"

#include "../version.hpp"
#include "report_parts.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

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
std::vector<const series_change*> sorted_changes(const file_comparison& result, change_kind kind) {
    std::vector<const series_change*> changes;
    for (const series_change& c : result.series) {
        if (c.kind == kind) {
            changes.push_back(&c);
        }
    }
    std::ranges::stable_sort(changes, [](const series_change* a, const series_change* b) {
        return std::abs(a->change.middle) > std::abs(b->change.middle);
    });
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
    for (const series_change* c : sorted_changes(r, kind)) {
        const bool is_finite = std::isfinite(c->change.middle);
        t.add({describe(c->name), median_of(*c, c->old_median), median_of(*c, c->new_median),
               is_finite ? cell{figure_of(unit::change, c->change.middle)} : cell{"from 0"},
               is_finite ? cell{bounds_of(unit::change, c->change.low, c->change.high)} : cell{},
               figure_of(unit::chance, c->p_adjusted)},
              kind == change_kind::regression ? emphasis::bad : emphasis::none);
    }
    if (!t.rows.empty()) {
        d.add_section(id, title).add(std::move(t));
    }
}

/// Names that follow each other, cut off after a dozen: "object, linn, many; …; and 4 more".
std::string name_list(const std::vector<series_name>& names) {
    constexpr std::size_t most = 12;
    std::string text;
    for (std::size_t i = 0; i != std::min(names.size(), most); ++i) {
        text += (i == 0 ? "" : "; ") + describe(names[i]);
    }
    return names.size() <= most ? text : fmt::format("{}; and {} more", text, names.size() - most);
}

} // namespace

document compare_document(const file_comparison& r) {
    document d;
    d.command = "linn compare";
    d.title = "linn compare";
    d.heading = "What changed between the two results?";
    d.kicker = date_text(r.new_file.started);
    d.lead = r.verdict + '.';
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
    list names;
    if (!r.vanished.empty()) {
        names.notes.push_back({"gone: " + name_list(r.vanished)});
    }
    if (!r.appeared.empty()) {
        names.notes.push_back({"new: " + name_list(r.appeared)});
    }
    d.add_section("rows", "Rows of one file only", forms::nowhere).add(std::move(names));
    d.warnings = r.warnings;
    d.data = [&] {
        return data_of(
            list_json(r.series, change_json),
            "scenario variant contender measure unit old=old/median new=new/median change change_low "
            "change_high p p_adjusted noise_floor verdict");
    };
    return d;
}

std::string compare_json(const file_comparison& r) {
    ordered_json json{{"schema", "linn.compare/1"},
                      {"version", version_text()},
                      {"verdict", r.verdict},
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
    return file_text(json);
}

} // namespace linn::tool::report
