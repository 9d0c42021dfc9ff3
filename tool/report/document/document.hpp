// SPDX-License-Identifier: Apache-2.0
// How a command makes its report
//
// A command builds one `document` of its result: `commands/<command>_report.cpp`. It decides what is said, in which order, and with
// which figures. The renderers of `render/` write the document as text for a terminal, Markdown, CSV and a page; they know
// no command, judge nothing and compute nothing. The JSON of a command is written from the result itself.
//
//     document fruit_document(const fruit_result& result) {
//         document d;
//         d.command = "linn fruit";
//         d.lead = result.verdict;                                       // the answer, first everywhere
//         section& s = d.add_section("fruit", "Every fruit");
//         table t{"Weight of a fruit", {{.heading = "fruit", .is_text = true},
//                                       {.heading = "MiB", .group = "peak memory", .droppable = 1}}};
//         for (const fruit& f : result.list)
//             t.add({f.name, figure_of(unit::bytes, f.bytes, mebibytes)}); // never a string that holds a figure
//         t.remarks.push_back("MiB: what it takes at most");
//         s.add(std::move(t));
//         s.add(picture{[=](html::id_source& ids) { return draw(ids, plot_of(result)); }, "Left is less."}, forms::html);
//         d.warnings = result.warnings;
//         d.data = [&] { return data_of(list_json(result), "name kg=weight/kg"); }; // CSV: values of the JSON
//         return d;
//     }
//
// Everything in the document appears in every form, unless `forms` says otherwise. Figures are `quantity`, which alone
// decides how a number is written. A table gives up columns, cuts text and wraps prose by itself, as its columns allow.
#pragma once

#include "data.hpp"
#include "markup.hpp"
#include "table.hpp"

#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace linn::tool::report {

/// A sentence or a few.
struct paragraph {
    std::string text;
    bool is_strong = false;
};

/// One entry of a list.
struct note {
    std::string text;
    unsigned mark = 0;        ///< "[1]" in front, which a cell refers to; 0: none
    std::string subject = {}; ///< what it is about, written before the text with a colon; empty: nothing
    std::string section = {}; ///< id of the section that the subject leads to; empty: none

    /// "subject: text".
    std::string words() const { return subject.empty() ? text : subject + ": " + text; }
};

/// Sentences that stand for themselves, one below the other.
struct list {
    std::vector<note> notes;
    std::string heading = {}; ///< above them; empty: none
};

/// Names and what belongs to them; without a value an entry is left out.
struct facts {
    std::vector<std::pair<std::string, std::string>> entries;
};

/// Lines that stay as they are: a change, a command, the output of a program.
struct code {
    std::string text;
    bool is_diff = false; ///< lines that begin with "-" go, those with "+" come
};

/// A heading below that of the section.
struct subheading {
    std::string text;
};

/// A plot, which only a page can show. `draw` is called when the page is written, and the result must live until then; it may
/// draw nothing.
struct picture {
    std::function<html::markup(html::id_source&)> draw;
    std::string caption = {};
};

/// Content that a page folds away until the reader opens it.
struct fold {
    std::string summary;
    std::vector<block> blocks;
    std::string brief = {}; ///< lines that text shows instead of all of it; empty: it shows everything
};

/// A part of a section.
struct block {
    std::variant<paragraph, list, facts, code, subheading, table, picture, fold> content;
    forms shown_in = forms::everywhere;
};

/// Blocks under a heading.
struct section {
    std::string id; ///< the page's contents lead to it
    std::string title;
    std::vector<block> blocks = {};
    forms titled_in = forms::everywhere; ///< where the title is written

    template <class Content>
    void add(Content content, forms shown_in = forms::everywhere) {
        blocks.emplace_back(std::move(content), shown_in);
    }
};

/// The whole report of a command.
struct document {
    std::string command; ///< "linn run"
    std::string title;   ///< of the page's window
    std::string heading; ///< of the page: the question that the lead answers
    std::string kicker;  ///< above the heading: the date and the machine
    std::string
        alert; ///< what a reader must know before all else, such as that the result is partial; may be empty
    std::string lead; ///< the answer in a sentence, or a few: each line of it begins one
    std::vector<block> introduction;
    std::deque<section> sections;      // references to them stay
    std::vector<std::string> warnings; ///< what weakens the result
    std::string provenance;            ///< version, date and machine, in a line below text; may be empty
    /// What CSV shows, made when that is written; the result must live until then.
    std::function<data_table()> data = [] { return data_table{}; };

    template <class Content>
    void add(Content content, forms shown_in = forms::everywhere) {
        introduction.emplace_back(std::move(content), shown_in);
    }

    section& add_section(std::string id, std::string name, forms titled_in = forms::everywhere) {
        return sections.emplace_back(section{std::move(id), std::move(name), {}, titled_in});
    }
};

/// The lines of a lead.
std::vector<std::string> lines_of(const std::string& lead);

/// A list of plain sentences.
list sentences(const std::vector<std::string>& lines, std::string heading = {});

} // namespace linn::tool::report
