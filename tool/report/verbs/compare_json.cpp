// SPDX-License-Identifier: Apache-2.0
#include "compare_json.hpp"

#include "../version.hpp"
#include "json_parts.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace linn::tool {
namespace {

using nlohmann::ordered_json;

ordered_json file_json(const result_file& file) {
    return {{"path", file.path},
            {"schema", file.schema},
            {"version", file.version},
            {"started", file.started},
            {"complete", file.complete}};
}

ordered_json name_json(const series_name& name) {
    return {{"scenario", text_or_null(name.scenario)},
            {"variant", text_or_null(name.variant)},
            {"contender", name.contender},
            {"measure", name.measure}};
}

ordered_json finite_or_null(double value) {
    return std::isfinite(value) ? ordered_json(value) : ordered_json{};
}

ordered_json row_json(const series_change& c) {
    ordered_json json = name_json(c.name);
    json["unit"] = c.unit;
    json["old"] = {{"median", c.old_median}, {"samples", c.old_count}};
    json["new"] = {{"median", c.new_median}, {"samples", c.new_count}};
    json["change"] = finite_or_null(c.change.middle);
    json["change_low"] = finite_or_null(c.change.low);
    json["change_high"] = finite_or_null(c.change.high);
    json["p"] = c.p;
    json["p_adjusted"] = c.p_adjusted;
    json["noise_floor"] = c.noise_floor;
    json["verdict"] = to_string(c.kind);
    return json;
}

} // namespace

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
    json["rows"] = ordered_json::array();
    for (const series_change& c : r.series) {
        json["rows"].push_back(row_json(c));
    }
    json["appeared"] = ordered_json::array();
    for (const series_name& name : r.appeared) {
        json["appeared"].push_back(name_json(name));
    }
    json["vanished"] = ordered_json::array();
    for (const series_name& name : r.vanished) {
        json["vanished"].push_back(name_json(name));
    }
    return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

} // namespace linn::tool
