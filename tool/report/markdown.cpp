// SPDX-License-Identifier: Apache-2.0
#include "markdown.hpp"

namespace linn::tool {

std::string markdown_text(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '\n' || c == '\r' || c == '\t')
            out += ' ';
        else if (c == '<')
            out += "&lt;";
        else if (c == '&')
            out += "&amp;";
        else if (std::string_view{"\\`*_[]|~#@"}.find(c) != std::string_view::npos)
            (out += '\\') += c;
        else
            out += c;
    }
    return out;
}

std::string markdown_table(const std::vector<markdown_column>& columns,
                           const std::vector<std::vector<std::string>>& rows) {
    std::string out{"|"};
    std::string rule{"|"};
    for (const markdown_column& c : columns) {
        out += ' ' + markdown_text(c.heading) + " |";
        rule += c.is_text ? " --- |" : " ---: |";
    }
    out += '\n' + rule + '\n';
    for (const std::vector<std::string>& row : rows) {
        out += '|';
        for (const std::string& cell : row)
            out += ' ' + cell + " |";
        out += '\n';
    }
    return out;
}

} // namespace linn::tool
