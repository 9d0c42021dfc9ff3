// SPDX-License-Identifier: Apache-2.0
#include "csv.hpp"

#include <fmt/format.h>

#include <cmath>

namespace linn::tool {
namespace {

std::string quoted(std::string text) {
    // Names and paths come from outside. @source OWASP, CSV Injection
    if (!text.empty() && std::string_view{"=+-@\t\r"}.find(text.front()) != std::string_view::npos)
        text.insert(text.begin(), '\'');
    const bool has_edge_space = !text.empty() && (text.front() == ' ' || text.back() == ' ');
    if (!has_edge_space && text.find_first_of(",\"\r\n") == std::string::npos)
        return text;
    std::string out{'"'};
    for (const char c : text)
        out.append(c == '"' ? 2 : 1, c);
    return out + '"';
}

} // namespace

std::string csv_field::text() const {
    if (const auto* text = std::get_if<std::string>(&value_))
        return quoted(*text);
    if (const auto* number = std::get_if<double>(&value_))
        return std::isfinite(*number) ? fmt::format("{}", *number) : "";
    if (const auto* number = std::get_if<std::uint64_t>(&value_))
        return fmt::format("{}", *number);
    return "";
}

std::string csv_line(std::initializer_list<csv_field> fields) {
    return csv_line(std::span{fields.begin(), fields.size()});
}

std::string csv_line(std::span<const csv_field> fields) {
    std::string line;
    const char* separator = "";
    for (const csv_field& f : fields) {
        line += separator;
        line += f.text();
        separator = ",";
    }
    return line + "\r\n";
}

} // namespace linn::tool
