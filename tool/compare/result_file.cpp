// SPDX-License-Identifier: Apache-2.0
#include "result_file.hpp"

#include "../experiment/contenders.hpp"
#include "../measure/statistics.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

namespace linn::tool {

namespace {

/// What is wrong with a place of a JSON document.
class bad_field : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A value of a JSON document that knows where it stands, so that an error can name the place:
/// "scenarios[2].rows[0].phases.many.cycles.samples[3]: wanted a number, found a string".
class json_view {
public:
    explicit json_view(const nlohmann::json& document) : value_{&document} {}

    /// The member of that name. @throws bad_field when this is no object or has no such member
    json_view operator[](std::string_view name) const {
        if (!value_->is_object()) {
            fail("an object");
        }
        const std::string key{name};
        std::string place = place_.empty() ? key : place_ + '.' + key;
        const auto found = value_->find(key);
        if (found == value_->end()) {
            throw bad_field{place + " is missing"};
        }
        return {*found, std::move(place)};
    }
    /// True when the member is there and not null. @throws bad_field when this is no object
    bool has(std::string_view name) const {
        if (!value_->is_object()) {
            fail("an object");
        }
        const auto found = value_->find(std::string{name});
        return found != value_->end() && !found->is_null();
    }

    std::string text() const {
        if (!value_->is_string()) {
            fail("a string");
        }
        return value_->get<std::string>();
    }
    /// A finite one.
    double number() const {
        if (!value_->is_number() || !std::isfinite(value_->get<double>())) {
            fail("a number");
        }
        return value_->get<double>();
    }
    bool truth() const {
        if (!value_->is_boolean()) {
            fail("true or false");
        }
        return value_->get<bool>();
    }
    /// An array of one finite, non-negative number or more.
    std::vector<double> numbers() const {
        std::vector<double> values;
        for (const json_view& item : items()) {
            values.push_back(item.number());
            if (values.back() < 0) {
                throw bad_field{fmt::format("{}: wanted a number that is not negative, found {}", item.place_,
                                            values.back())};
            }
        }
        if (values.empty()) {
            throw bad_field{place_ + " is empty"};
        }
        return values;
    }
    std::vector<json_view> items() const {
        if (!value_->is_array()) {
            fail("an array");
        }
        std::vector<json_view> list;
        for (std::size_t i = 0; i != value_->size(); ++i) {
            list.push_back(json_view{(*value_)[i], fmt::format("{}[{}]", place_, i)});
        }
        return list;
    }
    std::vector<std::pair<std::string, json_view>> members() const {
        if (!value_->is_object()) {
            fail("an object");
        }
        std::vector<std::pair<std::string, json_view>> list;
        for (const auto& [name, value] : value_->items()) {
            list.emplace_back(name, json_view{value, place_.empty() ? name : place_ + '.' + name});
        }
        return list;
    }
    bool is_null() const noexcept { return value_->is_null(); }
    /// A string as it is, anything else as JSON.
    std::string shown() const {
        return value_->is_string() ? value_->get<std::string>()
                                   : value_->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    }

private:
    json_view(const nlohmann::json& value, std::string place) : value_{&value}, place_{std::move(place)} {}

    [[noreturn]] void fail(std::string_view wanted) const {
        throw bad_field{fmt::format(
            "{}: wanted {}, found {}", place_.empty() ? "the document" : place_, wanted,
            value_->is_null() ? "null"
                              : fmt::format("{} {}", value_->is_array() || value_->is_object() ? "an" : "a",
                                            value_->type_name()))};
    }

    const nlohmann::json* value_;
    std::string place_;
};

/// @throws bad_field when the file has one of that name already
void add_series(result_file& file, series_name name, measured_series series) {
    const std::string shown =
        fmt::format("{} {} {} {}", name.scenario, name.variant, name.contender, name.measure);
    if (!file.series.emplace(std::move(name), std::move(series)).second) {
        throw bad_field{"it has two rows of the same name: " + shown};
    }
}

/// To `reference` of the same round where both have a value for every round, otherwise to its median. Without a reference, or
/// with one that holds a zero, there are none.
void set_ratios(measured_series& series, const std::vector<double>* reference) {
    series.ratios.clear();
    if (reference == nullptr || minimum(*reference) <= 0) {
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

void read_scenario(const json_view& scenario, double cycles_per_ns, result_file& file) {
    const std::string name = scenario["name"].text();
    const std::string baseline = scenario["baseline"].text();
    std::map<std::string, std::vector<double>> reference; // by phase
    std::vector<std::pair<series_name, measured_series>> found;
    for (const json_view& row : scenario["rows"].items()) {
        const std::string contender = row["contender"].text();
        const std::string variant = row["variant"].text();
        for (const auto& [phase, figures] : row["phases"].members()) {
            if (figures.is_null()) {
                continue; // the variant has no such phase
            }
            measured_series series;
            series.values = figures["cycles"]["samples"].numbers();
            for (double& v : series.values) {
                v /= cycles_per_ns;
                if (!std::isfinite(v)) {
                    throw bad_field{"machine.cycles_per_ns is too small: a time is infinite"};
                }
            }
            series.unit = "ns";
            if (scenario["noise_floor"].has(phase)) {
                series.noise_floor = scenario["noise_floor"][phase].number();
            }
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

void read_bench(const json_view& document, result_file& file) {
    const double cycles_per_ns = document["machine"]["cycles_per_ns"].number();
    if (cycles_per_ns <= 0) {
        throw bad_field{"machine.cycles_per_ns is not positive"};
    }
    // What decides how much work an operation is; the number of rounds, their order and the CPU do not.
    for (const char* option : {"container", "n", "objects", "object_bytes", "work"}) {
        file.setting[option] = document["options"][option].shown();
    }
    for (const json_view& scenario : document["scenarios"].items()) {
        read_scenario(scenario, cycles_per_ns, file);
    }
}

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

constexpr std::size_t most_bytes = std::size_t{256} << 20; // a full bench with 100 rounds has about 20 MB

std::string read_text(const std::filesystem::path& path) {
    std::error_code unknown;
    if (std::filesystem::is_directory(path, unknown)) {
        throw bad_field{"it is a directory"};
    }
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::fopen(path.c_str(), "re"), std::fclose};
    if (!file) {
        throw bad_field{std::strerror(errno)};
    }
    std::string text;
    std::size_t got = 0;
    do {
        constexpr std::size_t step = std::size_t{1} << 16;
        const std::size_t before = text.size();
        text.resize(before + step);
        got = std::fread(text.data() + before, 1, step, file.get());
        text.resize(before + got);
        if (text.size() > most_bytes) {
            throw bad_field{
                fmt::format("it is larger than {} MiB, so it is not a result of linn", most_bytes >> 20)};
        }
    } while (got != 0);
    if (std::ferror(file.get()) != 0) {
        throw bad_field{std::strerror(errno)};
    }
    return text;
}

nlohmann::json parse(const std::string& text) {
    if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
        throw bad_field{"it is empty"};
    }
    try {
        return nlohmann::json::parse(text);
    } catch (const nlohmann::json::parse_error& error) {
        const std::size_t byte = std::min(error.byte, text.size());
        const auto end = text.begin() + static_cast<std::ptrdiff_t>(byte);
        const auto line = 1 + std::count(text.begin(), end, '\n');
        if (error.byte > text.size()) {
            throw bad_field{
                fmt::format("it ends too early, in line {}, byte {}: it was cut off", line, byte)};
        }
        throw bad_field{fmt::format("it is not valid JSON (line {}, byte {})", line, byte)};
    } catch (const nlohmann::json::exception&) {
        throw bad_field{"it holds a number that is too large"};
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
        throw bad_field{fmt::format(
            "its schema is \"{}\"; compare reads what linn bench --json and linn run --json write", schema)};
    }
    const unsigned newest = kind == "linn.bench" ? 2 : 1;
    if (version > newest) {
        throw bad_field{fmt::format(
            "its schema is \"{}\", which a newer linn wrote; this one knows version {}", schema, newest)};
    }
    if (version == 0) {
        throw bad_field{fmt::format("its schema is \"{}\", which is not one of linn's", schema)};
    }
    if (version < newest) {
        throw bad_field{
            fmt::format("its schema is \"{}\", which an older linn wrote: measure again", schema)};
    }
}

result_file read_document(const nlohmann::json& document) {
    const json_view view{document};
    result_file file;
    if (!view.has("schema")) {
        throw bad_field{"it has no \"schema\": it is not a result of linn"};
    }
    file.schema = view["schema"].text();
    check_schema(file.schema);
    file.version = view["version"].text();
    file.started = view["started"].text();
    file.complete = view["complete"].truth();
    for (const auto& [name, value] : view["machine"].members()) {
        file.machine[name] = value.shown();
    }
    if (file.is_bench()) {
        read_bench(view, file);
    } else {
        read_run(view, file);
    }
    if (file.series.empty()) {
        throw bad_field{"it holds no measurement"};
    }
    return file;
}

} // namespace

result_file read_result_file(const std::filesystem::path& path) {
    try {
        result_file file = read_document(parse(read_text(path)));
        file.path = path.string();
        return file;
    } catch (const bad_field& error) {
        throw unusable_file{fmt::format("cannot use {}: {}", path.string(), error.what())};
    }
}

} // namespace linn::tool
