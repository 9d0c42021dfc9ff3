// SPDX-License-Identifier: Apache-2.0
#include "history_json.hpp"

#include "../version.hpp"
#include "json_parts.hpp"

#include <cmath>

namespace linn::tool {

using nlohmann::ordered_json;

std::string history_json(const result_history& h) {
    ordered_json json{{"schema", "linn.history/1"},
                      {"version", version_text()},
                      {"verdict", h.verdict},
                      {"by", h.options.by == compare_by::ratio ? "ratio" : "absolute"},
                      {"threshold", h.options.threshold},
                      {"level", h.options.level},
                      {"skipped", h.skipped}};
    ordered_json& files = json["files"] = ordered_json::array();
    for (const history_file& f : h.files) {
        files.push_back(
            {{"path", f.path}, {"started", f.started}, {"version", f.version}, {"complete", f.complete}});
    }
    ordered_json& rows = json["rows"] = ordered_json::array();
    for (const history_row& r : h.rows) {
        ordered_json points = ordered_json::array();
        for (const history_point& p : r.points) {
            const bool is_first = &p == &r.points.front();
            points.push_back(
                {{"file", p.file},
                 {"median", p.median},
                 {"samples", p.samples},
                 {"change", is_first || !std::isfinite(p.change) ? ordered_json{} : ordered_json(p.change)},
                 {"verdict", is_first ? ordered_json{} : ordered_json(to_string(p.step))}});
        }
        rows.push_back({{"scenario", text_or_null(r.name.scenario)},
                        {"variant", text_or_null(r.name.variant)},
                        {"contender", r.name.contender},
                        {"measure", r.name.measure},
                        {"unit", r.unit},
                        {"steps", r.steps()},
                        {"points", std::move(points)}});
    }
    return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

} // namespace linn::tool
