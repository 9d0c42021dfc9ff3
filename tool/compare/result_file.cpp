// SPDX-License-Identifier: Apache-2.0
#include "../experiment/contenders.hpp"
#include "../measure/files.hpp"
#include "../measure/statistics.hpp"
#include "compare_files.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>

namespace linn::tool {
namespace {

using nlohmann::json;

/// What is wrong with a file, without its name.
class bad_file : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A string as it is, anything else as JSON.
std::string shown(const json& value) {
    return value.is_string() ? value.get<std::string>()
                             : value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json member(const json& object, const std::string& name) {
    const auto found = object.find(name);
    return found == object.end() ? json{} : *found;
}

double number_or_0(const json& value) {
    return value.is_null() ? 0 : value.get<double>();
}

/// @throws bad_file for what has no samples, or some that no measurement has, and where the file has one of that name already
void add_series(result_file& file, series_name name, measured_series series) {
    const auto is_measured = [](double v) { return std::isfinite(v) && v >= 0; };
    if (series.values.empty() || !std::ranges::all_of(series.values, is_measured)) {
        throw bad_file{fmt::format("the samples of {} of {} are missing, negative or not finite",
                                   name.measure, name.contender)};
    }
    const std::string shown =
        fmt::format("{} {} {} {}", name.scenario, name.variant, name.contender, name.measure);
    if (!file.series.emplace(std::move(name), std::move(series)).second) {
        throw bad_file{"it has two rows of the same name: " + shown};
    }
}

/// To `reference` of the same round where both have a value for every round, otherwise to its median. Without a reference, or
/// with one that is empty or holds a zero, there are none.
void set_ratios(measured_series& series, const std::vector<double>* reference) {
    series.ratios.clear();
    if (reference == nullptr || reference->empty() || minimum(*reference) <= 0) {
        return;
    }
    const bool is_paired = reference->size() == series.values.size();
    const double middle = median(*reference);
    for (std::size_t i = 0; i != series.values.size(); ++i) {
        series.ratios.push_back(series.values[i] / (is_paired ? (*reference)[i] : middle));
    }
    if (!std::ranges::all_of(series.ratios, [](double r) { return std::isfinite(r); })) {
        series.ratios.clear(); // to a reference of next to nothing
    }
}

void read_scenario(const json& scenario, double cycles_per_ns, result_file& file) {
    const std::string name = scenario.at("name");
    const std::string baseline = scenario.at("baseline");
    std::map<std::string, std::vector<double>> reference; // by phase
    std::vector<std::pair<series_name, measured_series>> found;
    for (const json& row : scenario.at("rows")) {
        const std::string contender = row.at("contender");
        const std::string variant = row.at("variant");
        for (const auto& [phase, figures] : row.at("phases").items()) {
            if (figures.is_null()) {
                continue; // the variant has no such phase
            }
            measured_series series;
            series.values = figures.at("cycles").at("samples").get<std::vector<double>>();
            for (double& v : series.values) {
                v /= cycles_per_ns;
            }
            series.unit = "ns";
            series.noise_floor = number_or_0(member(scenario.at("noise_floor"), phase));
            series.is_reference = contender == baseline_name && variant == baseline;
            series.is_control = contender == control_name;
            if (series.is_reference) {
                reference[phase] = series.values;
            }
            found.emplace_back(series_name{name, variant, contender, phase}, std::move(series));
        }
    }
    for (auto& [series_of, series] : found) {
        const auto r = reference.find(series_of.measure);
        set_ratios(series, r == reference.end() ? nullptr : &r->second);
        add_series(file, series_of, std::move(series));
    }
}

void read_bench(const json& document, result_file& file) {
    const double cycles_per_ns = document.at("machine").at("cycles_per_ns");
    // What decides how much work an operation is; the number of rounds, their order and the CPU do not.
    for (const char* option : {"container", "work"}) {
        file.setting[option] = shown(document.at("options").at(option));
    }
    for (const json& scenario : document.at("scenarios")) {
        read_scenario(scenario, cycles_per_ns, file);
    }
}

/// The rounds of one contender and metric, with the values.
using by_round = std::map<double, double>;

by_round read_samples(const json& row, const std::string& metric) {
    by_round values;
    for (const json& sample : row.at("samples")) {
        if (const json value = member(sample.at("values"), metric); !value.is_null()) {
            values[sample.at("round").get<double>()] = value.get<double>();
        }
    }
    return values;
}

measured_series make_series(const by_round& values, const by_round& reference) {
    measured_series series;
    std::vector<double> paired;
    std::vector<double> all;
    for (const auto& [round, value] : reference) {
        all.push_back(value);
    }
    for (const auto& [round, value] : values) {
        series.values.push_back(value);
        if (const auto same = reference.find(round); same != reference.end()) {
            paired.push_back(same->second);
        }
    }
    if (!reference.empty()) {
        set_ratios(series, paired.size() == values.size() ? &paired : &all);
    }
    return series;
}

/// The arguments after the program, and the program without its folder: a new build may lie elsewhere.
std::string command_text(const json& program) {
    const auto arguments = program.at("arguments").get<std::vector<std::string>>();
    std::string text = std::filesystem::path{program.at("path").get<std::string>()}.filename().string();
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        text += ' ' + arguments[i];
    }
    return text;
}

void read_run(const json& document, result_file& file) {
    file.setting["program"] = command_text(document.at("program"));
    for (const char* option : {"input", "prepare", "ready", "client"}) {
        const json value = member(document.at("options"), option);
        file.setting[option] = value.is_null() ? "none" : shown(value);
    }
    const json& rows = document.at("rows");
    for (const json& metric : document.at("metrics")) {
        if (!metric.at("compared").get<bool>()) {
            continue;
        }
        const std::string name = metric.at("name");
        const std::string unit = metric.at("unit");
        const json floor = member(document.at("noise"), name);
        by_round reference;
        for (const json& row : rows) {
            if (row.at("name") == default_name) {
                reference = read_samples(row, name);
            }
        }
        for (const json& row : rows) {
            const by_round values = read_samples(row, name);
            if (values.empty()) {
                continue; // it failed at once, or the kernel does not let this be counted
            }
            measured_series series = make_series(values, reference);
            series.unit = unit == "count" ? "" : unit;
            series.noise_floor = floor.is_null() ? 0 : floor.at("floor").get<double>();
            const std::string contender = row.at("name");
            series.is_reference = contender == default_name;
            series.is_control = contender == default_again_name;
            add_series(file, {"", "", contender, name}, std::move(series));
        }
    }
}

/// Checks "linn.bench/2" and the like, and says what else the file may be.
void check_schema(const std::string& schema) {
    const std::size_t slash = schema.find('/');
    const std::string kind = schema.substr(0, slash);
    unsigned version = 0;
    if (slash != std::string::npos) {
        std::from_chars(schema.data() + slash + 1, schema.data() + schema.size(), version);
    }
    if (kind != "linn.bench" && kind != "linn.run") {
        throw bad_file{fmt::format(
            "its schema is \"{}\"; compare reads what linn bench --json and linn run --json write", schema)};
    }
    const unsigned newest = kind == "linn.bench" ? 2 : 1;
    if (version > newest) {
        throw bad_file{fmt::format(
            "its schema is \"{}\", which a newer linn wrote; this one knows version {}", schema, newest)};
    }
    if (version == 0) {
        throw bad_file{fmt::format("its schema is \"{}\", which is not one of linn's", schema)};
    }
    if (version < newest) {
        throw bad_file{fmt::format("its schema is \"{}\", which an older linn wrote: measure again", schema)};
    }
}

result_file read_document(const json& document) {
    if (!document.is_object() || !document.contains("schema")) {
        throw bad_file{"it has no \"schema\": it is not a result of linn"};
    }
    result_file file;
    file.schema = document.at("schema");
    check_schema(file.schema);
    file.version = document.at("version");
    file.started = document.at("started");
    file.complete = document.at("complete");
    for (const auto& [name, value] : document.at("machine").items()) {
        file.machine[name] = shown(value);
    }
    (file.is_bench() ? read_bench : read_run)(document, file);
    if (file.series.empty()) {
        throw bad_file{"it holds no measurement"};
    }
    return file;
}

std::string text_of(const std::filesystem::path& path) {
    std::error_code unknown;
    if (std::filesystem::is_directory(path, unknown)) {
        throw bad_file{"it is a directory"};
    }
    std::optional<std::string> text = read_file(path);
    if (!text) {
        throw bad_file{std::strerror(errno)};
    }
    return *std::move(text);
}

/// What a message of the library says, without its number and without bytes of the file.
std::string reason_of(const json::exception& error) {
    std::string text = error.what();
    text.erase(std::min(text.find("; last read:"), text.size()));
    return text.substr(std::min(text.find("] ") + 2, text.size()));
}

} // namespace

result_file read_result_file(const std::filesystem::path& path) {
    const std::string name = path.string();
    try {
        result_file file = read_document(json::parse(text_of(path)));
        file.path = name;
        return file;
    } catch (const bad_file& error) {
        throw unusable_input{fmt::format("cannot use {}: {}", name, error.what())};
    } catch (const json::parse_error& error) {
        throw unusable_input{fmt::format("cannot use {}: it is not valid JSON: {}", name, reason_of(error))};
    } catch (const json::exception& error) {
        throw unusable_input{fmt::format("cannot use {}: it is not what linn wrote: {}; measure again", name,
                                         reason_of(error))};
    }
}

} // namespace linn::tool
