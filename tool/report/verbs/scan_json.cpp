// SPDX-License-Identifier: Apache-2.0
#include "scan_json.hpp"

#include "../version.hpp"
#include "json_parts.hpp"
#include "run_json.hpp"

namespace linn::tool {

using nlohmann::ordered_json;

std::string scan_json(const scan_result& scan) {
    ordered_json json{{"schema", "linn.run-scan/1"},
                      {"version", version_text()},
                      {"verdict", scan.verdict},
                      {"command", scan.command},
                      {"complete", scan.complete()},
                      {"planned", scan.planned},
                      {"problem", text_or_null(scan.problem)}};
    ordered_json& parameters = json["parameters"] = ordered_json::array();
    for (const scan_parameter& p : scan.parameters) {
        parameters.push_back({{"name", p.name}, {"values", p.values}});
    }
    ordered_json& points = json["points"] = ordered_json::array();
    for (const scan_point& p : scan.points) {
        ordered_json values = ordered_json::object();
        for (std::size_t i = 0; i != p.values.size(); ++i) {
            values[scan.parameters[i].name] = p.values[i];
        }
        points.push_back({{"values", std::move(values)}, {"run", run_document(p.run)}});
    }
    return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

} // namespace linn::tool
