// SPDX-License-Identifier: Apache-2.0
#include "document.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <sstream>

namespace linn::tool::html {
namespace {

/// The text with U+FFFD for bytes that are no UTF-8.
std::string valid_text(std::string_view text) {
    using nlohmann::json;
    if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
        return std::string{text};
    }
    return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
}

constexpr std::pair<char, std::string_view> entities[]{
    {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};

bool is_control(char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7F;
}

void open(std::string& out, std::string_view name, attributes list) {
    out += '<';
    out += name;
    for (const attribute& a : list) {
        out += ' ';
        out += a.name;
        out += "=\"";
        out += escape(a.value);
        out += '"';
    }
}

} // namespace

std::string escape(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (const char c : valid_text(text)) {
        if (const auto* const special =
                std::ranges::find(entities, c, &std::pair<char, std::string_view>::first);
            special != std::end(entities)) {
            out += special->second;
        } else if (!is_control(c)) {
            out += c;
        }
    }
    return out;
}

markup text(std::string_view plain) {
    return markup::trusted(escape(plain));
}

markup element(std::string_view name, attributes list, const markup& content) {
    std::string out;
    open(out, name, list);
    out += '>';
    out += content.str();
    out += "</";
    out += name;
    out += '>';
    return markup::trusted(out);
}

markup element(std::string_view name, const markup& content) {
    return element(name, {}, content);
}

markup empty_element(std::string_view name, attributes list) {
    std::string out;
    open(out, name, list);
    out += "/>";
    return markup::trusted(out);
}

} // namespace linn::tool::html

namespace linn::tool::report {

row& table::add(std::vector<cell> cells, emphasis style) {
    return rows.emplace_back(row{std::move(cells), style});
}

void table::add_heading(std::string words) {
    rows.push_back({{cell{std::move(words)}}, emphasis::none, true});
}

void table::cut(std::size_t in_text, std::size_t all, std::string what) {
    rows_of_text = in_text;
    all_rows = all;
    rest = std::move(what);
}

table table::part(bool of_text) const {
    table shown = *this;
    if (of_text && rows.size() > rows_of_text) {
        shown.rows.erase(shown.rows.begin() + static_cast<std::ptrdiff_t>(rows_of_text), shown.rows.end());
    }
    for (std::size_t i = columns.size(); i-- > 1;) {
        const auto is_empty = [&](const row& r) {
            return r.is_heading || r.cells[i].words(lettering::plain).empty();
        };
        if (std::ranges::all_of(shown.rows, is_empty)) {
            const auto place = static_cast<std::ptrdiff_t>(i);
            shown.columns.erase(shown.columns.begin() + place);
            for (row& r : shown.rows) {
                if (!r.is_heading) {
                    r.cells.erase(r.cells.begin() + place);
                }
            }
        }
    }
    if (all_rows > shown.rows.size()) {
        shown.remarks.insert(
            shown.remarks.begin(),
            fmt::format("and {} more {}; --top shows more, --json all", all_rows - shown.rows.size(), rest));
    }
    return shown;
}

std::vector<std::string> list::part_of_text() const {
    std::vector<std::string> shown = lines;
    if (lines.size() > lines_of_text) {
        shown.resize(lines_of_text);
        shown.push_back(fmt::format("and {} more; --json has all", lines.size() - lines_of_text));
    }
    return shown;
}

std::string date_text(const std::string& iso) {
    return iso.size() < 16 ? iso : fmt::format("{} {} UTC", iso.substr(0, 10), iso.substr(11, 5));
}

std::string joined(std::vector<std::string> parts, std::string_view separator) {
    std::erase(parts, "");
    return fmt::format("{}", fmt::join(parts, separator));
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in{text};
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

namespace {

bool starts_letter(char c) noexcept {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

} // namespace

std::size_t letters_of(std::string_view text) noexcept {
    return static_cast<std::size_t>(std::ranges::count_if(text, starts_letter));
}

std::size_t byte_of_letter(std::string_view text, std::size_t letter) noexcept {
    std::size_t letters = 0;
    const auto found =
        std::ranges::find_if(text, [&](char c) { return starts_letter(c) && letters++ == letter; });
    return static_cast<std::size_t>(found - text.begin());
}

std::string shortened(std::string_view words, std::size_t most_letters) {
    return letters_of(words) <= most_letters
               ? std::string{words}
               : std::string{words.substr(0, byte_of_letter(words, most_letters - 1))} + "…";
}

std::string capitalised(std::string_view words) {
    std::string text{words};
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
        text[0] = static_cast<char>(text[0] - 'a' + 'A');
    }
    return text;
}

} // namespace linn::tool::report
