// SPDX-License-Identifier: Apache-2.0
#include "../../measure/suggest.hpp"
#include "../plots/flame_graph.hpp"
#include "../version.hpp"
#include "compare_report.hpp"
#include "profile_parts.hpp"
#include "report_parts.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace linn::tool::report {
namespace {

using nlohmann::ordered_json;

/// The name of a field: "live_bytes".
std::string field_of(std::size_t measure) {
    std::string name = profile_measure_names()[measure];
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
    for (std::size_t i = 0; i != profile_measures; ++i) {
        all[field_of(i)] = t.all.of[i];
    }
    return {{"path", t.path},
            {"command", t.command},
            {"started", t.started},
            {"work", t.work},
            {"recorded", all},
            {"peak_bytes", t.peak_bytes},
            {"whole", t.incomplete.empty()},
            {"incomplete", t.incomplete}};
}

ordered_json trace_row_json(const trace_row& r) {
    ordered_json json = row_name_json(r.label, r.place, r.stack);
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
    constexpr const char* kinds[] = {"run", "allocations", "number", "type"};
    return kinds[static_cast<std::size_t>(per.what)];
}

constexpr std::size_t most_page_rows = 200;
constexpr std::size_t most_stack_rows = 60;

cell difference_cell(profile_measure m, double change) {
    if (change == 0) {
        return {"-"};
    }
    return change > 0 ? cell{"+", figure_of(m, change)} : cell{figure_of(m, change)};
}

/// "+12 %"; also what is too small for a digit says whether it grew. @pre old > 0, difference != 0
cell share_cell(double difference, double old) {
    const double share = difference / old;
    return share < 0 && share > -0.0005 ? cell{"-0.0 %"} : cell{figure_of(unit::change, share)};
}

/// "+12 %", or the word for a row that only one recording has.
cell change_cell(const trace_row& r, profile_measure by) {
    const double old = r.old_counts[static_cast<std::size_t>(by)];
    if (r.change == row_change::added || r.change == row_change::gone) {
        return cell{to_string(r.change)};
    }
    if (old > 0 && r.difference(by) != 0) {
        return share_cell(r.difference(by), old);
    }
    return cell{r.difference(by) > 0 ? "from 0" : "-"};
}

class sections {
public:
    sections(document& d, const trace_comparison& c, std::size_t top) : d_{d}, c_{c}, top_{top} {}

    void add_totals() {
        table t{"Both recordings as a whole",
                {{.heading = c_.unit.empty() ? "of the run" : "per " + c_.unit, .is_text = true},
                 {.heading = "old"},
                 {.heading = "new"},
                 {.heading = "change", .droppable = 1},
                 {.heading = "%"}}};
        for (std::size_t i = 0; i != profile_measures; ++i) {
            const auto m = static_cast<profile_measure>(i);
            add_total(t, words_of(m), m, c_.old_all[i], c_.new_all[i]);
        }
        add_total(t, "bytes live at most", profile_measure::bytes,
                  static_cast<double>(c_.old_trace.peak_bytes), static_cast<double>(c_.new_trace.peak_bytes));
        if (!c_.unit.empty()) {
            t.remarks.push_back("bytes live at most and what is never released: of the run");
        }
        d_.add_section("totals", "All together").add(std::move(t));
    }

    void add_rows(const char* id, const char* title, const std::vector<trace_row>& rows) {
        const std::size_t changed = changed_rows(rows);
        if (changed == 0) {
            return;
        }
        const bool are_stacks = &rows == &c_.stacks;
        const bool are_places = &rows == &c_.places;
        table t = empty_table(title,
                              are_stacks   ? "type and stack"
                              : are_places ? "place"
                                           : "type",
                              are_places);
        const std::size_t most = std::max(top_, are_stacks ? most_stack_rows : most_page_rows);
        for (const trace_row& r : std::span{rows}.first(std::min(changed, most))) {
            row& added = add_row(t, r, are_places ? r.place.place() : r.label);
            if (are_stacks) {
                added.detail.push_back({stack_lines(r.stack, r.place)});
            }
        }
        t.cut(are_stacks ? std::min(top_, most_stacks) : top_, changed, id);
        d_.add_section(id, title).add(std::move(t));
    }

    void add_flame() {
        d_.add_section("flame", "Where it changed")
            .add(picture{
                [&c = c_](html::id_source&) { return html::draw(html::graph_of_difference(c)); },
                fmt::format("Types are below the whole, places below their type, callers below those. A box "
                            "is as wide as its {} in the recording that has more of them. ▲, red: grew; ▼, "
                            "blue: shrank; the stronger the colour, the larger the change of the box.",
                            words_of(c_.options.by))});
    }

private:
    static constexpr std::size_t most_stacks = 3; // in a terminal, where each takes a dozen lines

    void add_total(table& t, const char* name, profile_measure m, double before, double after) {
        const double change = after - before;
        t.add({name, figure_of(m, before), figure_of(m, after), difference_cell(m, change),
               before > 0 && change != 0 ? share_cell(change, before) : cell{change > 0 ? "from 0" : "-"}},
              emphasis::none);
    }

    table empty_table(const char* title, const char* what, bool are_places) const {
        const bool by_bytes = c_.options.by == profile_measure::bytes;
        const bool has_leaks = std::any_of(c_.stacks.begin(), c_.stacks.end(), [](const trace_row& r) {
            return r.difference(profile_measure::live_bytes) != 0;
        });
        const bool hides_leaks = c_.options.by == profile_measure::live_bytes || !has_leaks;
        const std::string group = words_of(c_.options.by);
        table t{
            title,
            {{.heading = what, .is_text = true, .shorten = are_places ? cut::front : cut::type, .least = 20},
             {.heading = "function",
              .is_text = true,
              .droppable = 4,
              .shown_in = are_places ? forms::everywhere : forms::nowhere,
              .shorten = cut::end,
              .least = 12},
             {.heading = "old", .group = group, .droppable = 2},
             {.heading = "new", .group = group, .droppable = 2},
             {.heading = "change", .group = group},
             {.heading = "%", .group = group},
             {.heading = "bytes",
              .group = "change of",
              .droppable = 1,
              .shown_in = by_bytes ? forms::nowhere : forms::everywhere},
             {.heading = "never released",
              .group = "change of",
              .droppable = 3,
              .shown_in = hides_leaks ? forms::nowhere : forms::everywhere}}};
        return t;
    }

    row& add_row(table& t, const trace_row& r, std::string name) const {
        const profile_measure by = c_.options.by;
        const auto value = [&](const trace_counts_of_work& counts) {
            return cell{figure_of(by, counts[static_cast<std::size_t>(by)])};
        };
        const double change = r.difference(r.changed_in);
        return t.add(
            {std::move(name), r.place.name, value(r.old_counts), value(r.new_counts),
             difference_cell(by, r.difference(by)), change_cell(r, by),
             difference_cell(profile_measure::bytes, r.difference(profile_measure::bytes)),
             difference_cell(profile_measure::live_bytes, r.difference(profile_measure::live_bytes))},
            change > 0 ? emphasis::bad : emphasis::good);
    }

    document& d_;
    const trace_comparison& c_;
    std::size_t top_;
};

/// What was compared, and by what it was divided.
std::string method_text(const trace_comparison& c) {
    std::string words = fmt::format("Compared: old {} and new {}, by {}, ", c.old_trace.path,
                                    c.new_trace.path, words_of(c.options.by));
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
    ordered_json lines = ordered_json::array();
    for (const auto& [what, rows] :
         {std::pair{"type", &c.types}, std::pair{"place", &c.places}, std::pair{"stack", &c.stacks}}) {
        for (const trace_row& r : *rows) {
            lines.push_back(line_of(what, trace_row_json(r)));
        }
    }
    return data_of(lines, "what type function=place/function file=place/file line=place/line stack change "
                          "old_allocations=old/allocations old_bytes=old/bytes old_temporary=old/temporary "
                          "old_live_blocks=old/live_blocks old_live_bytes=old/live_bytes "
                          "new_allocations=new/allocations new_bytes=new/bytes new_temporary=new/temporary "
                          "new_live_blocks=new/live_blocks new_live_bytes=new/live_bytes");
}

} // namespace

document trace_compare_document(const trace_comparison& c, std::size_t top) {
    document d;
    d.command = "linn compare";
    d.title = "linn compare: " + shell_words(c.new_trace.command);
    d.heading = "What changed in its allocations?";
    d.kicker = "linn compare · recorded " + date_text(c.new_trace.started);
    d.lead = c.verdict + '.';
    d.add(paragraph{method_text(c)});
    if (!c.broken.empty()) {
        d.add(sentences(c.broken, "Over the limit:"));
    }
    if (c.differs()) {
        sections all{d, c, top};
        all.add_totals();
        all.add_rows("types", "Types, the largest change first", c.types);
        all.add_rows("places", "Places, the largest change first", c.places);
        all.add_rows("stacks", "Stacks that changed most", c.stacks);
        all.add_flame();
    }
    d.warnings = c.warnings;
    d.data = [&] { return lines_of(c); };
    return d;
}

std::string trace_compare_json(const trace_comparison& c) {
    ordered_json json{{"schema", "linn.trace-compare/1"},
                      {"version", version_text()},
                      {"verdict", c.verdict},
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
    return file_text(json);
}

} // namespace linn::tool::report
