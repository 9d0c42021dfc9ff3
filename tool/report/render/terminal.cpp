// SPDX-License-Identifier: Apache-2.0
#include "render.hpp"
#include "text_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace linn::tool::report {
namespace {

class terminal_writer {
public:
    explicit terminal_writer(const output_style& style) : style_{style} {}

    std::string operator()(const paragraph& p) const {
        const std::string text = wrap(printable(p.text), style_.width);
        return (p.is_strong ? bold(style_, text) : text) + '\n';
    }

    std::string operator()(const list& l) const {
        std::string out = l.heading.empty() ? std::string{} : bold(style_, l.heading) + '\n';
        const std::size_t indent = l.heading.empty() ? 0 : 2;
        for (const note& n : l.notes) {
            const std::string mark = n.mark == 0 ? std::string{} : fmt::format("[{}] ", n.mark);
            out += std::string(indent, ' ') +
                   wrap(mark + printable(n.words()), style_.width - indent, indent + 4) + '\n';
        }
        return out;
    }

    std::string operator()(const facts& f) const {
        std::string out;
        for (const auto& [name, value] : f.entries) {
            if (!value.empty()) {
                out += wrap(printable(fmt::format("{}: {}", name, value)), style_.width, 4) + '\n';
            }
        }
        return out;
    }

    std::string operator()(const code& c) const {
        std::string out;
        for (std::size_t begin = 0; begin < c.text.size();) {
            const std::size_t end = std::min(c.text.find('\n', begin), c.text.size());
            out += "    " + printable(c.text.substr(begin, end - begin)) + '\n';
            begin = end + 1;
        }
        return out;
    }

    std::string operator()(const subheading& h) const {
        return bold(style_, wrap(printable(h.text), style_.width, 4)) + '\n';
    }

    std::string operator()(const table& whole) const {
        const table t = whole.part(true);
        if (t.rows.empty()) {
            return {};
        }
        const text_table drawn{t, style_};
        std::string out = drawn.lines([&](const row& r) { return indented(r.detail); });
        std::vector<std::string> remarks = t.remarks;
        if (const std::vector<std::string> hidden = drawn.hidden(); !hidden.empty()) {
            remarks.insert(remarks.begin(),
                           fmt::format("hidden columns: {} (widen the terminal or use --json)",
                                       fmt::join(hidden, ", ")));
        }
        for (const std::string& remark : remarks) {
            out += "  " + wrap(printable(remark), style_.width - 2, 4) + '\n';
        }
        return out;
    }

    std::string operator()(const picture&) const { return {}; }

    std::string operator()(const fold& f) const {
        if (!f.brief.empty()) {
            return (*this)(code{f.brief});
        }
        return bold(style_, wrap(printable(f.summary), style_.width, 4)) + '\n' + blocks(f.blocks);
    }

    /// The blocks that a terminal shows; a heading stands next to the block that follows it.
    std::string blocks(const std::vector<block>& all) const {
        std::string out;
        bool is_below_heading = true;
        for (const block& b : all) {
            if (!includes(b.shown_in, forms::terminal)) {
                continue;
            }
            const std::string text = std::visit(*this, b.content);
            if (text.empty()) {
                continue;
            }
            out += (is_below_heading ? "" : "\n") + text;
            is_below_heading = std::holds_alternative<subheading>(b.content);
        }
        return out;
    }

private:
    /// What stands below a row.
    std::string indented(const std::vector<block>& detail) const {
        std::string out;
        const terminal_writer narrow{{style_.width - 4, style_.colour, style_.keeps_columns}};
        for (const block& b : detail) {
            if (!includes(b.shown_in, forms::terminal)) {
                continue;
            }
            const std::string text = std::visit(narrow, b.content);
            for (std::size_t begin = 0; begin < text.size();) {
                const std::size_t end = text.find('\n', begin);
                out += "    " + text.substr(begin, end + 1 - begin);
                begin = end + 1;
            }
        }
        return out;
    }

    output_style style_;
};

} // namespace

std::string render_terminal(const document& d, const output_style& style) {
    const terminal_writer write{style};
    std::string out;
    const auto add = [&](const std::string& part) {
        if (!part.empty()) {
            out += (out.empty() ? "" : "\n") + part;
        }
    };
    std::string top;
    for (const std::string& part : {d.alert, d.lead}) {
        for (const std::string& line : lines_of(part)) {
            top += write(paragraph{line, true});
        }
    }
    add(top);
    add(write.blocks(d.introduction));
    for (const section& s : d.sections) {
        if (s.leaves_out == left_out_of_text::all) {
            continue;
        }
        if (const std::string text = write.blocks(s.blocks); !text.empty()) {
            add((s.leaves_out == left_out_of_text::nothing ? write(subheading{s.title}) : std::string{}) +
                text);
        }
    }
    std::string end;
    if (!d.provenance.empty()) {
        end += wrap(d.provenance, style.width, 2) + '\n';
    }
    for (const std::string& warning : d.warnings) {
        end += wrap("warning: " + printable(warning), style.width, 4) + '\n';
    }
    add(end);
    return out;
}

} // namespace linn::tool::report
