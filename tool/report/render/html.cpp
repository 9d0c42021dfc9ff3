// SPDX-License-Identifier: Apache-2.0
#include "../document/document.hpp"
#include "../plots/figure.hpp"
#include "render.hpp"

#include <fmt/format.h>

#include <cmath>
#include <random>

namespace linn::tool::report {
namespace {

using html::element;
using html::empty_element;
using html::markup;

constexpr std::size_t name_letters = 120; // of a cell that may be cut
constexpr std::size_t tip_letters = 600;  // of the text that is shown at the pointer

/// The words whole for those who point at them, and as many as there is room for.
markup name_content(const std::string& words) {
    const std::string shown = shortened(words, name_letters);
    return shown == words ? html::text(words)
                          : element("span", {{"title", shortened(words, tip_letters)}}, html::text(shown));
}

/// A verdict has a colour, and an arrow where it is a word: colour alone tells too little.
markup cell_content(const cell& c, const column& of) {
    const std::string words = c.words(lettering::typeset);
    const markup content = of.shorten == cut::never ? html::text(words) : name_content(words);
    const bool is_good = c.style == emphasis::good;
    if (!is_good && c.style != emphasis::bad) {
        return content;
    }
    const markup arrow = c.figure ? markup{} : html::text(is_good ? "▼ " : "▲ ");
    return element("span", {{"class", is_good ? "better" : "worse"}}, arrow + content);
}

markup diff_lines(const std::string& lines) {
    markup content;
    for (const std::string& line : lines_of(lines)) {
        const markup words = html::text(line);
        content += line.starts_with('-')   ? element("del", words)
                   : line.starts_with('+') ? element("ins", words)
                                           : words;
        content += html::text("\n");
    }
    return content;
}

/// The lines of a table head: the groups above the headings, where there are any.
markup table_head(const table& t) {
    markup groups;
    bool has_groups = false;
    for (std::size_t i = 0; i != t.columns.size();) {
        const std::size_t begin = i;
        const std::string& group = t.columns[begin].group;
        while (i != t.columns.size() && t.columns[i].group == group) {
            ++i;
        }
        const std::string span = std::to_string(i - begin);
        groups += group.empty()
                      ? element("td", {{"colspan", span}}, {})
                      : element("th", {{"colspan", span}, {"scope", "colgroup"}}, html::text(group));
        has_groups = has_groups || !group.empty();
    }
    markup headings;
    for (const column& c : t.columns) {
        headings +=
            element("th", {{"scope", "col"}, {"class", c.is_text ? "words" : ""}}, html::text(c.heading));
    }
    return element("thead", (has_groups ? element("tr", {{"class", "groups"}}, groups) : markup{}) +
                                element("tr", {{"class", "columns"}}, headings));
}

/// One row; a number is what it sorts by.
markup row_cells(const table& t, const row& r) {
    markup content;
    for (std::size_t i = 0; i != r.cells.size(); ++i) {
        const cell& c = r.cells[i];
        const markup words = cell_content(c, t.columns[i]);
        if (i == 0) {
            content += element("th", {{"scope", "row"}}, words);
        } else if (t.columns[i].is_text) {
            content += element("td", {{"class", "words"}}, words);
        } else if (c.figure && std::isfinite(c.figure->key())) {
            content += element("td", {{"data-v", fmt::format("{:.6g}", c.figure->key())}}, words);
        } else {
            content += element("td", words);
        }
    }
    return content;
}

class page_writer {
public:
    markup operator()(const paragraph& p) const {
        if (p.text.empty()) {
            return {};
        }
        return element("p", p.is_strong ? element("strong", html::text(p.text)) : html::text(p.text));
    }

    markup operator()(const list& l) const {
        markup items;
        for (const std::string& line : l.lines) {
            items += element("li", html::text(line));
        }
        if (items.empty()) {
            return items;
        }
        return (l.heading.empty() ? markup{} : (*this)(subheading{l.heading})) +
               element("ul", {{"class", "prose"}}, items);
    }

    markup operator()(const facts& f) const {
        markup list;
        for (const auto& [name, value] : f.entries) {
            if (const std::string words = value.words(lettering::typeset); !words.empty()) {
                list += element("div", element("dt", html::text(name)) + element("dd", html::text(words)));
            }
        }
        return list.empty() ? list : element("dl", list);
    }

    markup operator()(const code& c) const {
        if (c.text.empty()) {
            return {};
        }
        return c.is_diff ? element("pre", {{"class", "diff"}}, diff_lines(c.text))
                         : element("pre", html::text(c.text));
    }

    markup operator()(const subheading& h) const { return element("h3", html::text(h.text)); }

    /// A table that its reader can sort by any column, within its groups.
    markup operator()(const table& whole) const {
        const table t = whole.part(false);
        if (t.rows.empty()) {
            return {};
        }
        const std::string width = std::to_string(t.columns.size());
        markup groups;
        markup rows;
        const auto end_group = [&] {
            if (!rows.empty()) {
                groups += element("tbody", std::exchange(rows, {}));
            }
        };
        for (const row& r : t.rows) {
            if (r.is_heading) {
                end_group();
                const markup words = html::text(r.cells.front().words(lettering::typeset));
                rows = element(
                    "tr", {{"class", "group"}},
                    element("th", {{"colspan", width}, {"scope", "rowgroup"}}, element("span", words)));
                continue;
            }
            rows += element("tr", {{"class", html::class_of(r.style)}}, row_cells(t, r));
            if (const markup detail = blocks(r.detail); !detail.empty()) {
                rows += element("tr", {{"class", "more"}}, element("td", {{"colspan", width}}, detail));
            }
        }
        end_group();
        const markup remarks = (*this)(list{t.remarks});
        return element(
                   "div",
                   {{"class", "scroll"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", t.caption}},
                   element("table", element("caption", html::text(t.caption)) + table_head(t) + groups)) +
               (remarks.empty() ? remarks : element("div", {{"class", "notes"}}, remarks));
    }

    markup operator()(const picture& p) const {
        const markup drawn = p.draw();
        return drawn.empty() ? drawn
                             : element("figure", drawn + element("figcaption", html::text(p.caption)));
    }

    markup operator()(const fold& f) const { return html::folded(f.summary, blocks(f.blocks)); }

    markup blocks(const std::vector<block>& all) const {
        markup content;
        for (const block& b : all) {
            if (includes(b.shown_in, forms::page)) {
                content += std::visit(*this, b.content);
            }
        }
        return content;
    }
};

/// A word that the names in the report cannot know: only a script that has it may run.
std::string new_nonce() {
    std::random_device random;
    return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

markup page_head(const std::string& title, const std::string& nonce) {
    // Nothing may be loaded, and no script but ours may run, regardless of the names in the report.
    const std::string policy = fmt::format("default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
                                           "script-src 'nonce-{}'; base-uri 'none'; form-action 'none'",
                                           nonce);
    markup content = empty_element("meta", {{"charset", "utf-8"}});
    content += empty_element("meta", {{"http-equiv", "Content-Security-Policy"}, {"content", policy}});
    content +=
        empty_element("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
    content += empty_element("meta", {{"name", "color-scheme"}, {"content", "light dark"}});
    content += element("title", html::text(title));
    content +=
        empty_element("link", {{"rel", "icon"}, {"href", "data:,"}}); // or a browser asks for /favicon.ico
    content += element("style", markup::trusted(html::style_sheet));
    return element("head", content);
}

markup page_top(const document& d) {
    markup top = element("p", {{"class", "kicker"}},
                         html::text(joined({d.command, date_text(d.started), d.machine}, " · "))) +
                 element("h1", html::text(d.question));
    if (!d.alert.empty()) {
        top += element("p", {{"class", "alert"}}, html::text(capitalised(d.alert)));
    }
    markup lead;
    for (const std::string& line : lines_of(d.lead)) {
        lead += (lead.empty() ? lead : empty_element("br", {})) + html::text(line);
    }
    return element("header", top + element("p", {{"class", "lead"}}, lead));
}

} // namespace

std::string render_html(const document& d) {
    const page_writer write;
    const std::string nonce = new_nonce();
    markup main = write.blocks(d.introduction) + write(list{d.warnings, "What weakens this result"});
    markup contents;
    markup sections;
    for (const section& s : d.sections) {
        if (const markup content = write.blocks(s.blocks); !content.empty()) {
            contents += element("li", element("a", {{"href", '#' + s.id}}, html::text(s.title)));
            sections += element("section", {{"id", s.id}, {"aria-labelledby", s.id + "-title"}},
                                element("h2", {{"id", s.id + "-title"}}, html::text(s.title)) + content);
        }
    }
    if (d.sections.size() > 1) {
        main += element("nav", {{"aria-label", "Contents"}}, element("ol", contents));
    }
    const std::string footer =
        fmt::format("Written by linn {}. This file is self-contained: it loads nothing.", version_text());
    const markup body = page_top(d) + element("main", main + sections) +
                        element("footer", html::text(footer)) +
                        element("script", {{"nonce", nonce}}, markup::trusted(html::script));
    return "<!DOCTYPE html>\n" +
           element(
               "html", {{"lang", "en"}},
               page_head(joined({joined({d.command, d.subject}, " "), date_text(d.started)}, ", "), nonce) +
                   element("body", body))
               .str() +
           '\n';
}

} // namespace linn::tool::report
