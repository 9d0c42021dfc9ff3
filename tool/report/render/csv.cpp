// SPDX-License-Identifier: Apache-2.0
#include "render.hpp"

#include <fmt/format.h>

#include <cmath>

namespace linn::tool::report {
namespace {

using nlohmann::ordered_json;

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

/// The field as RFC 4180 wants it, quoted where it must be.
std::string field_text(const ordered_json& field) {
    if (field.is_string()) {
        return quoted(field.get<std::string>());
    }
    if (field.is_number_unsigned()) {
        return fmt::format("{}", field.get<std::uint64_t>());
    }
    if (const double number = field.is_number() ? field.get<double>() : NAN; std::isfinite(number)) {
        return fmt::format("{}", number);
    }
    return field.is_boolean() ? (field.get<bool>() ? "true" : "false") : "";
}

} // namespace

std::string csv_line(const std::vector<ordered_json>& fields) {
    std::string line;
    for (const ordered_json& f : fields) {
        line += (&f == fields.data() ? "" : ",") + field_text(f);
    }
    return line + "\r\n";
}

std::string render_json(const document& d) {
    return d.json().dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

std::string render_csv(const document& d) {
    const data_table data = d.data();
    std::string out = csv_line({data.columns.begin(), data.columns.end()});
    for (const std::vector<ordered_json>& line : data.rows) {
        out += csv_line(line);
    }
    return out;
}

} // namespace linn::tool::report
