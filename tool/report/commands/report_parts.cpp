// SPDX-License-Identifier: Apache-2.0
#include "report_parts.hpp"

#include "../../measure/quantity.hpp"
#include "../../measure/suggest.hpp"

#include <fmt/ranges.h>

#include <filesystem>
#include <sstream>

namespace linn::tool::report {

double part_of(std::uint64_t part, std::uint64_t whole) noexcept {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string program_of(const std::vector<std::string>& command, const std::string& otherwise) {
    return command.empty() ? otherwise : std::filesystem::path{command.front()}.filename().string();
}

std::string short_command(const std::vector<std::string>& command) {
    constexpr std::size_t most = 200;
    const std::string words = shell_words(command);
    return words.size() > most ? words.substr(0, most) + "..." : words;
}

std::vector<std::pair<std::string, cell>> machine_entries(const machine_info& m) {
    return {{"Processor", fmt::format("{}, {} CPUs", m.cpu_model, m.cpus)},
            {"Kernel", m.kernel},
            {"Transparent huge pages", m.huge_pages},
            {"Compiler of the tool", m.compiler},
            {"Build", m.build},
            {"Clock", clock_text(m)},
            {"Environment that steers allocators", fmt::format("{}", fmt::join(m.environment, " "))}};
}

std::string clock_text(const machine_info& m) {
    return fmt::format("{} at {} GHz", m.counter, figures::written(figures::unit::number, m.ticks_per_ns));
}

std::string providers_text(const std::map<std::string, std::string>& files) {
    std::vector<std::string> parts;
    std::string last;
    for (const char* function : {"malloc", "operator new"}) {
        if (const auto found = files.find(function); found != files.end() && found->second != last) {
            parts.push_back(fmt::format("{}: {}", function, found->second.empty() ? "none" : found->second));
            last = found->second;
        }
    }
    return fmt::format("{}", fmt::join(parts, "; "));
}

std::string provenance_text(const std::string& started, const machine_info& m, const std::string& options) {
    return fmt::format("linn {}, {}; {}, {} CPUs, {}; transparent huge pages: {}; {}", version_text(),
                       started, m.cpu_model, m.cpus, m.kernel, m.huge_pages, options);
}

using nlohmann::ordered_json;

data_table data_of(const ordered_json& objects, std::string_view columns) {
    data_table data;
    std::vector<ordered_json::json_pointer> places;
    std::istringstream names{std::string{columns}};
    for (std::string column; names >> column;) {
        const std::size_t at = column.find('=');
        data.columns.push_back(column.substr(0, at));
        places.emplace_back(fmt::format("/{}", column.substr(at + 1)));
    }
    for (const ordered_json& object : objects) {
        std::vector<ordered_json>& line = data.rows.emplace_back();
        for (const ordered_json::json_pointer& place : places) {
            ordered_json& value = line.emplace_back(object.contains(place) ? object[place] : ordered_json{});
            if (value.is_array()) {
                value = fmt::format("{}", fmt::join(value.get<std::vector<std::string>>(), " "));
            }
        }
    }
    return data;
}

ordered_json result_json(const char* schema, const ordered_json& fields) {
    ordered_json json{{"schema", schema}, {"version", version_text()}};
    json.update(fields);
    return json;
}

ordered_json text_or_null(const std::string& text) {
    return text.empty() ? ordered_json{} : ordered_json(text);
}

ordered_json machine_json(const machine_info& m) {
    return {{"cpu", m.cpu_model},
            {"cpus", m.cpus},
            {"kernel", m.kernel},
            {"transparent_huge_pages", m.huge_pages},
            {"environment", m.environment}};
}

} // namespace linn::tool::report
