// SPDX-License-Identifier: Apache-2.0
#include "../experiment/contenders.hpp"
#include "result_file.hpp"

#include <filesystem>
#include <map>

namespace linn::tool {
namespace {

/// The rounds of one contender and metric, with the values.
using by_round = std::map<double, double>;

by_round read_samples(const json_view& row, const std::string& metric) {
    by_round values;
    for (const json_view& sample : row["samples"].items()) {
        if (sample["values"].has(metric)) {
            values[sample["round"].number()] = sample["values"][metric].number();
        }
    }
    return values;
}

measured_series make_series(const by_round& values, const by_round& reference) {
    measured_series series;
    std::vector<double> paired;
    for (const auto& [round, value] : values) {
        series.values.push_back(value);
        if (const auto same = reference.find(round); same != reference.end()) {
            paired.push_back(same->second);
        }
    }
    if (paired.size() == values.size()) {
        set_ratios(series, &paired);
    } else if (!reference.empty()) {
        std::vector<double> all;
        for (const auto& [round, value] : reference) {
            all.push_back(value);
        }
        set_ratios(series, &all);
    }
    return series;
}

/// The arguments after the program, and the program without its folder: a new build may lie elsewhere.
std::string command_text(const json_view& program) {
    std::string text = std::filesystem::path{program["path"].text()}.filename().string();
    bool is_first = true;
    for (const json_view& argument : program["arguments"].items()) {
        if (!is_first) {
            text += ' ' + argument.text();
        }
        is_first = false;
    }
    return text;
}

} // namespace

void read_run(const json_view& document, result_file& file) {
    file.setting["program"] = command_text(document["program"]);
    for (const char* option : {"input", "prepare", "ready", "client"}) {
        file.setting[option] = document["options"].has(option) ? document["options"][option].shown() : "none";
    }
    const std::vector<json_view> rows = document["rows"].items();
    for (const json_view& metric : document["metrics"].items()) {
        if (!metric["compared"].truth()) {
            continue;
        }
        const std::string name = metric["name"].text();
        const std::string unit = metric["unit"].text();
        double floor = 0;
        if (document["noise"].has(name)) {
            floor = document["noise"][name]["floor"].number();
        }
        by_round reference;
        for (const json_view& row : rows) {
            if (row["name"].text() == default_name) {
                reference = read_samples(row, name);
            }
        }
        for (const json_view& row : rows) {
            const by_round values = read_samples(row, name);
            if (values.empty()) {
                continue; // it failed at once, or the kernel does not let this be counted
            }
            measured_series series = make_series(values, reference);
            series.unit = unit == "count" ? "" : unit;
            series.noise_floor = floor;
            const std::string contender = row["name"].text();
            series.is_reference = contender == default_name;
            series.is_control = contender == default_again_name;
            add_series(file, {"", "", contender, name}, std::move(series));
        }
    }
}

} // namespace linn::tool
