// SPDX-License-Identifier: Apache-2.0
#include "render.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

namespace linn::tool::report {
namespace {

std::string quoted(std::string text) {
    // Names and paths come from outside. @source OWASP, CSV Injection
    if (!text.empty() && std::string_view{"=+-@\t\r"}.find(text.front()) != std::string_view::npos) {
        text.insert(text.begin(), '\'');
    }
    const bool has_edge_space = !text.empty() && (text.front() == ' ' || text.back() == ' ');
    if (!has_edge_space && text.find_first_of(",\"\r\n") == std::string::npos) {
        return text;
    }
    std::string out{'"'};
    for (const char c : text) {
        out.append(c == '"' ? 2 : 1, c);
    }
    return out + '"';
}

} // namespace

std::string field_text(const datum& field) {
    if (const auto* text = std::get_if<std::string>(&field.value())) {
        return quoted(*text);
    }
    if (const auto* number = std::get_if<double>(&field.value())) {
        return std::isfinite(*number) ? fmt::format("{}", *number) : "";
    }
    if (const auto* number = std::get_if<std::uint64_t>(&field.value())) {
        return fmt::format("{}", *number);
    }
    return "";
}

std::string csv_line(std::initializer_list<datum> fields) {
    return csv_line(std::span{fields.begin(), fields.size()});
}

std::string csv_line(std::span<const datum> fields) {
    std::string line;
    const char* separator = "";
    for (const datum& f : fields) {
        line += separator;
        line += field_text(f);
        separator = ",";
    }
    return line + "\r\n";
}

std::string render_csv(const document& d) {
    const data_table data = d.data();
    std::string out = csv_line(std::vector<datum>{data.columns.begin(), data.columns.end()});
    for (const std::vector<datum>& line : data.rows) {
        out += csv_line(line);
    }
    return out;
}

namespace {

constexpr output_format formats[]{
    {"--csv", "write the figures as CSV", &render_csv},
    {"--markdown", "write the report as Markdown", &render_markdown},
    {"--html", "write it as a page for a browser", &render_html, true},
};

} // namespace

std::span<const output_format> output_formats() noexcept {
    return formats;
}

} // namespace linn::tool::report
