// SPDX-License-Identifier: Apache-2.0
#include "render.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace linn::tool::report {
namespace {

/// A fence longer than any row of backticks within.
std::string fenced(const code& c) {
    std::size_t longest = 2;
    std::size_t run = 0;
    for (const char letter : c.text) {
        run = letter == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    const std::string fence(longest + 1, '`');
    return fmt::format("{}{}\n{}{}{}\n", fence, c.is_diff ? "diff" : "", c.text,
                       c.text.ends_with('\n') ? "" : "\n", fence);
}

std::string strong(const std::string& plain) {
    return fmt::format("**{}**", markdown_text(plain));
}

std::string cell_text(const cell& c) {
    const std::string words = c.words(lettering::plain);
    const bool is_strong = !words.empty() && (c.style == emphasis::good || c.style == emphasis::bad ||
                                              c.style == emphasis::ours);
    return is_strong ? strong(words) : markdown_text(words);
}

std::string heading_text(const column& c) {
    return markdown_text(c.group.empty() || c.heading.empty() ? c.group + c.heading
                                                              : fmt::format("{}, {}", c.group, c.heading));
}

class markdown_writer {
public:
    std::string operator()(const paragraph& p) const {
        return (p.is_strong ? strong(p.text) : markdown_text(p.text)) + '\n';
    }

    std::string operator()(const list& l) const {
        std::string out = l.heading.empty() ? std::string{} : markdown_text(l.heading) + "\n\n";
        for (const std::string& line : l.part_of_text()) {
            out += fmt::format("- {}\n", markdown_text(line));
        }
        return out;
    }

    std::string operator()(const facts& f) const {
        std::string out;
        for (const auto& [name, value] : f.entries) {
            if (const std::string words = value.words(lettering::plain); !words.empty()) {
                out += fmt::format("- {}: {}\n", markdown_text(name), markdown_text(words));
            }
        }
        return out;
    }

    std::string operator()(const code& c) const { return c.text.empty() ? std::string{} : fenced(c); }

    std::string operator()(const subheading& h) const { return "#### " + markdown_text(h.text) + '\n'; }

    /// Markdown has no groups of rows: each becomes a table below its heading.
    std::string operator()(const table& whole) const {
        const table t = whole.part(true);
        std::string out;
        const auto end_part = [&](std::string& rows) {
            if (!rows.empty()) {
                out += (out.empty() || out.ends_with("\n\n") ? "" : "\n") + head(t) + rows;
            }
            rows.clear();
        };
        std::string rows;
        for (const row& r : t.rows) {
            if (r.is_heading) {
                end_part(rows);
                const std::string words = r.cells.front().words(lettering::plain);
                out += (out.empty() ? "" : "\n") + markdown_text(words) + (words.ends_with(':') ? "" : ":") +
                       "\n\n";
                continue;
            }
            rows += '|';
            std::string below; // as further lines of the first cell
            for (const block& b : r.detail) {
                const auto* const notes = std::get_if<list>(&b.content);
                for (const std::string& line :
                     notes != nullptr ? notes->lines : lines_of(std::get<fold>(b.content).brief)) {
                    below += "<br>" + markdown_text(line);
                }
            }
            for (const cell& c : r.cells) {
                rows += ' ' + cell_text(c) + std::exchange(below, {}) + " |";
            }
            rows += '\n';
        }
        end_part(rows);
        if (!t.remarks.empty() && !out.empty()) {
            out += '\n' + (*this)(list{t.remarks});
        }
        return out;
    }

    std::string operator()(const picture&) const { return {}; }

    std::string operator()(const fold& f) const { return (*this)(code{f.brief}); }

    std::string blocks(const std::vector<block>& all) const {
        std::vector<std::string> texts;
        for (const block& b : all) {
            if (includes(b.shown_in, forms::text)) {
                texts.push_back(std::visit(*this, b.content));
            }
        }
        return joined(std::move(texts), "\n");
    }

private:
    static std::string head(const table& t) {
        std::string headings{"|"};
        std::string rule{"|"};
        for (const column& c : t.columns) {
            headings += ' ' + heading_text(c) + " |";
            rule += c.is_text ? " --- |" : " ---: |";
        }
        return headings + '\n' + rule + '\n';
    }
};

} // namespace

std::string markdown_text(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '\n' || c == '\r' || c == '\t') {
            out += ' ';
        } else if (c == '<') {
            out += "&lt;";
        } else if (c == '&') {
            out += "&amp;";
        } else if (std::string_view{"\\`*_[]|~#@"}.find(c) != std::string_view::npos) {
            (out += '\\') += c;
        } else {
            out += c;
        }
    }
    return out;
}

std::string render_markdown(const document& d) {
    const markdown_writer write;
    std::vector<std::string> parts;
    for (const std::string& part : {d.alert, d.lead}) {
        std::string lead;
        for (const std::string& line : lines_of(part)) {
            // Two spaces end a line within a paragraph.
            lead += (lead.empty() ? "" : "  \n") + strong(line);
        }
        parts.push_back(lead.empty() ? lead : lead + '\n');
    }
    parts.push_back(write.blocks(d.introduction));
    for (const section& s : d.sections) {
        const std::string text = write.blocks(s.blocks);
        const bool has_title = !text.empty() && includes(s.titled_in, forms::text);
        parts.push_back(has_title ? "### " + markdown_text(s.title) + '\n' : "");
        parts.push_back(text);
    }
    list warnings;
    for (const std::string& warning : d.warnings) {
        warnings.lines.push_back("warning: " + warning);
    }
    parts.push_back(write(warnings));
    parts.push_back(d.provenance.empty() ? "" : markdown_text(d.provenance) + '\n');
    return joined(std::move(parts), "\n");
}

} // namespace linn::tool::report
