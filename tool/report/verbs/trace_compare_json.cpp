// SPDX-License-Identifier: Apache-2.0
#include "trace_compare_json.hpp"

#include "../version.hpp"
#include "json_parts.hpp"
#include "stack_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace linn::tool {
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

ordered_json row_json(const trace_row& r) {
    ordered_json json = row_name_json(r.label, r.place, r.stack);
    json["change"] = to_string(r.change);
    json["changed_in"] =
        r.change == row_change::same ? ordered_json{} : ordered_json(to_string(r.changed_in));
    json["old"] = counts_json(r.old_counts);
    json["new"] = counts_json(r.new_counts);
    return json;
}

/// Those that differ; a program has thousands of stacks that do not.
ordered_json rows_json(const std::vector<trace_row>& rows) {
    ordered_json json = ordered_json::array();
    for (std::size_t i = 0; i != changed_rows(rows); ++i) {
        json.push_back(row_json(rows[i]));
    }
    return json;
}

const char* kind_of(const work_unit& per) {
    constexpr const char* kinds[] = {"run", "allocations", "number", "type"};
    return kinds[static_cast<std::size_t>(per.what)];
}

} // namespace

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
    return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

} // namespace linn::tool
