// SPDX-License-Identifier: Apache-2.0
#include "../plots/figure.hpp"
#include "../version.hpp"
#include "html_table.hpp"
#include "page.hpp"
#include "render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace linn::tool::report {
namespace {

using html::element;
using html::markup;

constexpr std::size_t name_letters = 120; // of a cell that may be cut
constexpr std::size_t tip_letters = 600;  // of the text that is shown at the pointer

/// The words whole for those who point at them, and as many as there is room for.
markup shortened(const std::string& words) {
    const std::string shown = html::shortened(words, name_letters);
    return shown == words
               ? html::text(words)
               : element("span", {{"title", html::shortened(words, tip_letters)}}, html::text(shown));
}

/// A verdict has a colour, and an arrow where it is a word: colour alone tells too little.
markup cell_content(const cell& c, const column& of) {
    const std::string words = c.words(lettering::typeset);
    const markup content = of.shorten == cut::never ? html::text(words) : shortened(words);
    const bool is_good = c.style == emphasis::good;
    if (!is_good && c.style != emphasis::bad) {
        return content;
    }
    const markup arrow = c.figure ? markup{} : html::text(is_good ? "▼ " : "▲ ");
    return element("span", {{"class", is_good ? "better" : "worse"}}, arrow + content);
}

/// The subject is a link where it leads to a section.
markup note_content(const note& n) {
    const std::string mark = n.mark == 0 ? std::string{} : fmt::format("[{}] ", n.mark);
    if (n.section.empty()) {
        return html::text(mark + n.words());
    }
    return html::text(mark) + element("a", {{"href", '#' + n.section}}, html::text(n.subject)) +
           html::text(": " + n.text);
}

markup diff_lines(const std::string& lines) {
    markup content;
    for (std::size_t at = 0; at < lines.size();) {
        const std::size_t end = std::min(lines.find('\n', at), lines.size());
        const std::string_view line = std::string_view{lines}.substr(at, end - at);
        const markup words = html::text(line);
        content += line.starts_with('-')   ? element("del", words)
                   : line.starts_with('+') ? element("ins", words)
                                           : words;
        content += html::text("\n");
        at = end + 1;
    }
    return content;
}

class page_writer {
public:
    markup operator()(const paragraph& p) const {
        return p.is_strong ? element("p", element("strong", html::text(p.text))) : html::paragraph(p.text);
    }

    markup operator()(const list& l) const {
        markup items;
        for (const note& n : l.notes) {
            items += element("li", note_content(n));
        }
        if (items.empty()) {
            return items;
        }
        return (l.heading.empty() ? markup{} : (*this)(subheading{l.heading})) +
               element("ul", {{"class", "prose"}}, items);
    }

    markup operator()(const facts& f) const { return html::description_list(f.entries); }

    markup operator()(const code& c) const {
        if (c.text.empty()) {
            return {};
        }
        return c.is_diff ? element("pre", {{"class", "diff"}}, diff_lines(c.text))
                         : element("pre", html::text(c.text));
    }

    markup operator()(const subheading& h) const { return element("h3", html::text(h.text)); }

    markup operator()(const table& t) {
        std::vector<html::html_column> columns;
        std::optional<std::size_t> sorted_by;
        for (std::size_t i = 0; i != t.columns.size(); ++i) {
            const column& c = t.columns[i];
            if (!includes(c.shown_in, forms::html)) {
                continue;
            }
            if (t.sorted_by == i) {
                sorted_by = columns.size();
            }
            columns.push_back({c.heading, c.group, c.is_text});
        }
        html::html_table drawn{t.caption, columns};
        if (sorted_by) {
            drawn.sorted_by(*sorted_by);
        }
        for (const row& r : t.rows) {
            if (r.is == row::kind::heading) {
                drawn.add_group(html::text(r.cells.front().words(lettering::typeset)));
                continue;
            }
            std::vector<html::html_cell> cells;
            for (std::size_t i = 0; i != r.cells.size(); ++i) {
                if (includes(t.columns[i].shown_in, forms::html)) {
                    cells.push_back(
                        {cell_content(r.cells[i], t.columns[i]),
                         r.cells[i].figure ? std::optional{r.cells[i].figure->key()} : std::nullopt});
                }
            }
            if (r.is == row::kind::last) {
                drawn.add_footnote_row(std::move(cells));
                continue;
            }
            drawn.add_row(std::move(cells), r.style);
            is_in_row_ = true;
            if (const markup detail = blocks(r.detail); !detail.empty()) {
                drawn.add_detail(detail);
            }
            is_in_row_ = false;
        }
        if (drawn.empty()) {
            return {};
        }
        const markup remarks = (*this)(sentences(t.remarks));
        return drawn.draw() + (remarks.empty() ? remarks : element("div", {{"class", "notes"}}, remarks));
    }

    markup operator()(const picture& p) {
        const markup drawn = p.draw(ids_);
        return drawn.empty() ? drawn : html::figure_box(drawn, html::text(p.caption));
    }

    markup operator()(const fold& f) {
        const bool is_in_row = std::exchange(is_in_row_, false);
        const markup content = blocks(f.blocks);
        is_in_row_ = is_in_row;
        return html::folded(f.summary, is_in_row && !content.empty()
                                           ? element("div", {{"class", "more-box"}}, content)
                                           : content);
    }

    markup blocks(const std::vector<block>& all) {
        markup content;
        for (const block& b : all) {
            if (includes(b.shown_in, forms::html)) {
                content += std::visit(*this, b.content);
            }
        }
        return content;
    }

private:
    html::id_source ids_;
    bool is_in_row_ = false; // what is folded away there is set apart
};

} // namespace

std::string render_html(const document& d) {
    page_writer write;
    html::page p;
    p.title = d.title;
    p.heading = d.heading;
    p.kicker = d.kicker;
    p.alert = html::capitalised(d.alert);
    p.lead = d.lead;
    p.introduction = write.blocks(d.introduction);
    p.introduction += write(sentences(d.warnings, "What weakens this result"));
    for (const section& s : d.sections) {
        if (markup content = write.blocks(s.blocks); !content.empty()) {
            p.sections.push_back({s.id, s.title, std::move(content)});
        }
    }
    p.footer =
        fmt::format("Written by linn {}. This file is self-contained: it loads nothing.", version_text());
    return html::render(p);
}

} // namespace linn::tool::report
