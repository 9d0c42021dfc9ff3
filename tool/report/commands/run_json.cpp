// SPDX-License-Identifier: Apache-2.0
#include "../../measure/statistics.hpp"
#include "../../measure/suggest.hpp"
#include "../../run/results.hpp"
#include "report_parts.hpp"
#include "reports.hpp"
#include "run_parts.hpp"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace linn::tool::report {
namespace {

using nlohmann::ordered_json;

double seconds(std::chrono::milliseconds t) {
    return std::chrono::duration<double>{t}.count();
}

ordered_json options_json(const run_options& o) {
    return {{"only", o.only},
            {"rounds", known_or_null(o.rounds != 0, o.rounds)},
            {"least_rounds", o.least_rounds},
            {"most_rounds", o.most_rounds},
            {"warm_up_rounds", o.warm_up_rounds},
            {"precision", o.precision},
            {"level", o.level},
            {"budget_s", o.budget.count()},
            {"timeout_s", seconds(o.launch.timeout)},
            {"seed", o.seed},
            {"cpus", text_or_null(o.launch.cpus)},
            {"input", text_or_null(o.launch.input.string())},
            {"prepare", text_or_null(o.prepare)},
            {"ready", text_or_null(o.launch.ready)},
            {"client", text_or_null(o.launch.client)},
            {"compare_output", o.compare_output},
            {"ignore_exit_status", o.ignore_exit_status},
            {"wrapper", o.keep_wrappers}};
}

ordered_json program_json(const run_result& result) {
    const target& t = result.what;
    return {{"command", t.command},           {"path", t.spec.program.string()},
            {"arguments", t.spec.arguments},  {"directory", text_or_null(t.spec.directory.string())},
            {"wrappers", t.wrappers},         {"also_ran", t.also_ran},
            {"own_provider", t.own_provider}, {"remarks", t.remarks}};
}

ordered_json metric_json(const metric_info& m) {
    return {{"name", m.name}, {"title", m.title}, {"unit", to_string(m.unit)}, {"compared", m.is_compared}};
}

ordered_json estimate_json(const run_row& row, const estimate& e) {
    ordered_json json{{"median", e.median}, {"low", e.low}, {"high", e.high}};
    if (row.contender.is_default()) {
        return json;
    }
    json["ratio"] = e.ratio;
    json["ratio_low"] = e.ratio_low;
    json["ratio_high"] = e.ratio_high;
    json["p"] = e.p;
    if (row.contender.is_control()) {
        return json;
    }
    json["p_adjusted"] = e.p_adjusted;
    json["call"] = to_string(e.call);
    return json;
}

ordered_json name_json(const run_row& row) {
    const run_contender& c = row.contender;
    return {{"name", c.name},
            {"title", c.title},
            {"version", text_or_null(c.version)},
            {"library", text_or_null(c.library.string())},
            {"behind", text_or_null(c.behind.string())},
            {"environment", c.environment},
            {"providers", c.providers},
            {"notes", c.notes},
            {"repeated", row.repeated},
            {"failure", text_or_null(row.failure)},
            {"last_output", text_or_null(row.last_output)},
            {"output_difference", text_or_null(row.output_difference)}};
}

ordered_json run_sample_json(const run_sample& s) {
    return {
        {"round", s.round}, {"disturbed", s.disturbed}, {"same_output", s.same_output}, {"values", s.values}};
}

ordered_json run_row_json(const run_row& row) {
    ordered_json json = name_json(row);
    json["estimates"] = object_json(row.estimates, [&](const estimate& e) { return estimate_json(row, e); });
    json["samples"] = list_json(row.samples, run_sample_json);
    return json;
}

ordered_json noise_json(const noise& n) {
    return {{"ratio", n.ratio}, {"ratio_low", n.low}, {"ratio_high", n.high}, {"p", n.p}, {"floor", n.floor}};
}

} // namespace

ordered_json run_lines(const run_result& result) {
    ordered_json lines = ordered_json::array();
    for (const run_row& row : result.rows) {
        for (const metric_info& m : metrics()) {
            const std::vector<double> values = row.values(m.name);
            if (values.empty()) {
                continue;
            }
            ordered_json line = name_json(row);
            line.update({{"contender", row.contender.name},
                         {"metric", m.name},
                         {"unit", to_string(m.unit)},
                         {"rounds", values.size()},
                         {"median", median(values)},
                         {"min", minimum(values)},
                         {"command", shell_words(result.what.command)},
                         {"complete", result.complete()},
                         {"started", result.started},
                         {"version", version_text()},
                         {"cpu", result.machine.cpu_model}});
            if (const estimate* e = row.find_estimate(m.name); e != nullptr) {
                line.update(estimate_json(row, *e));
                line["median"] = median(values); // of all runs
            }
            if (const auto floor = result.noise_floor.find(std::string{m.name});
                floor != result.noise_floor.end()) {
                line["noise_floor"] = floor->second.floor;
            }
            lines.push_back(std::move(line));
        }
    }
    return lines;
}

ordered_json run_fields(const run_result& result) {
    return {{"schema", "linn.run/1"},
            {"version", version_text()},
            {"started", result.started},
            {"seconds", result.seconds},
            {"measured_seconds", result.measured_seconds},
            {"complete", result.complete()},
            {"complete_rounds", result.complete_rounds},
            {"stopped", to_string(result.stopped)},
            {"problem", text_or_null(result.problem)},
            {"verdict", result.verdict},
            {"judged_by", result.judged_by},
            {"findings", result.findings},
            {"warnings", result.warnings},
            {"program", program_json(result)},
            {"options", options_json(result.options)},
            {"machine", machine_json(result.machine)},
            {"outputs_compared", result.outputs_compared},
            {"left_behind", result.left_behind},
            {"metrics", list_json(metrics(), metric_json)},
            {"noise", object_json(result.noise_floor, noise_json)},
            {"rows", list_json(result.rows, run_row_json)},
            {"left_out", list_json(result.left_out, [](const left_out_contender& l) {
                 return ordered_json{{"name", l.name}, {"reason", l.reason}};
             })}};
}

std::string run_json(const run_result& result) {
    return file_text(run_fields(result));
}

} // namespace linn::tool::report
