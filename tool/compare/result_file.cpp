// SPDX-License-Identifier: Apache-2.0
#include "result_file.hpp"

#include "../measure/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>

namespace linn::tool {
namespace {

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

void add_series(result_file& file, series_name name, measured_series series) {
    const std::string shown =
        fmt::format("{} {} {} {}", name.scenario, name.variant, name.contender, name.measure);
    if (!file.series.emplace(std::move(name), std::move(series)).second) {
        throw bad_field{"it has two rows of the same name: " + shown};
    }
}

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
