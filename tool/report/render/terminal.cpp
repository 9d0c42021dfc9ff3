// SPDX-License-Identifier: Apache-2.0
#include "../../symbols/cxx_name.hpp"
#include "render.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace linn::tool::report {
namespace {

/// The text without what steers a terminal: line ends and their like become spaces.
std::string printable(std::string text) {
    std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    return text;
}

/// The text, or as many letters of it as `width` holds with "..." at its end, or at its front.
std::string cut_text(const std::string& text, std::size_t width, cut where) {
    const std::size_t letters = letters_of(text);
    if (letters <= width) {
        return text;
    }
    const std::size_t kept = width - std::min<std::size_t>(width, 3);
    return where == cut::front ? "..." + text.substr(byte_of_letter(text, letters - kept))
                               : text.substr(0, byte_of_letter(text, kept)) + "...";
}

std::string padded(const std::string& text, std::size_t width, bool stands_left) {
    const std::size_t letters = letters_of(text);
    const std::string fill(width > letters ? width - letters : 0, ' ');
    return stands_left ? text + fill : fill + text;
}

std::string without_trailing_spaces(std::string text) {
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
}

/// A table as aligned columns. Where it is wider than the terminal, columns are given up in the order of `droppable`, then text
/// is cut.
class text_table {
public:
    text_table(const table& t, const output_style& style) : table_{t}, style_{style} {
        for (std::size_t i = 0; i != t.columns.size(); ++i) {
            columns_.push_back(read_column(i));
        }
        give_up_columns();
        cut_columns();
    }

    /// The lines, each ended by a newline. `detail` writes what stands below a row.
    template <class Detail>
    std::string lines(const Detail& detail) const {
        const std::size_t most = style_.keeps_columns ? all_of_it : style_.width;
        std::string out;
        if (const std::string groups = group_line(); !groups.empty()) {
            out += bold(style_, groups) + '\n';
        }
        out += bold(style_, line([](const laid_out& c) { return c.of->heading; })) + '\n' +
               std::string(std::min(width(false), most), '-') + '\n';
        std::size_t number = 0; // of the row among those that have cells
        for (const row& r : table_.rows) {
            if (r.is_heading) {
                out += cut_text(printable(r.cells.front().words(lettering::plain)), most, cut::end) + '\n';
                continue;
            }
            const std::string text = line([&](const laid_out& c) { return c.cells[number]; });
            const bool is_bold = r.style != emphasis::none && r.style != emphasis::muted;
            out += (is_bold ? bold(style_, text) : text) + '\n' + detail(r);
            ++number;
        }
        return out;
    }

    /// The headings of the columns that were given up, each once.
    const std::vector<std::string>& hidden() const { return hidden_; }

private:
    static constexpr std::size_t all_of_it = static_cast<std::size_t>(-1);

    struct laid_out {
        const column* of;
        std::size_t width = 0;
        std::vector<std::string> cells = {}; ///< one a row that has cells

        void fit() {
            width = letters_of(of->heading);
            for (const std::string& cell : cells) {
                width = std::max(width, letters_of(cell));
            }
        }
        std::size_t least() const {
            return of->shorten == cut::never ? width
                                             : std::min(width, std::max(of->least, letters_of(of->heading)));
        }
        void shorten() {
            if (of->shorten == cut::type) {
                cells = short_types(cells, width);
            } else {
                std::ranges::transform(cells, cells.begin(),
                                       [&](const std::string& c) { return cut_text(c, width, of->shorten); });
            }
            fit();
        }
    };

    laid_out read_column(std::size_t number) const {
        laid_out c{&table_.columns[number]};
        std::string indent; // of the names below a heading
        for (const row& r : table_.rows) {
            if (r.is_heading) {
                indent = number == 0 ? "  " : "";
            } else {
                c.cells.push_back(indent + printable(r.cells[number].words(lettering::plain)));
            }
        }
        c.fit();
        return c;
    }

    std::size_t gap_before(std::size_t position) const {
        if (position == 0) {
            return 0;
        }
        // Columns of one group stand closer together than groups do.
        const std::string& group = columns_[position].of->group;
        return !group.empty() && group == columns_[position - 1].of->group ? 1 : 2;
    }

    std::size_t width(bool at_least) const {
        std::size_t total = 0;
        for (std::size_t i = 0; i != columns_.size(); ++i) {
            total += gap_before(i) + (at_least ? columns_[i].least() : columns_[i].width);
        }
        return total;
    }

    void give_up_columns() {
        while (!style_.keeps_columns && width(true) > style_.width) {
            unsigned highest = 0;
            for (const laid_out& c : columns_) {
                highest = std::max(highest, c.of->droppable);
            }
            if (highest == 0) {
                break;
            }
            std::erase_if(columns_, [&](const laid_out& c) { return c.of->droppable == highest; });
        }
        for (const column& c : table_.columns) {
            if (std::ranges::find(columns_, &c, &laid_out::of) == columns_.end() &&
                std::ranges::find(hidden_, c.heading) == hidden_.end()) {
                hidden_.push_back(c.heading);
            }
        }
    }

    /// The widest column that may be cut is cut first.
    void cut_columns() {
        std::vector<laid_out*> cut;
        for (laid_out& c : columns_) {
            if (c.of->shorten != report::cut::never) {
                c.width = std::min(c.width, c.of->most);
                cut.push_back(&c);
            }
        }
        while (!style_.keeps_columns && width(false) > style_.width && width(false) > width(true)) {
            const auto room = [](const laid_out* c) { return c->width > c->least() ? c->width : 0; };
            --(*std::ranges::max_element(cut, {}, room))->width;
        }
        for (laid_out* c : cut) {
            c->shorten();
        }
    }

    std::string group_line() const {
        std::string text;
        for (std::size_t i = 0; i != columns_.size();) {
            const std::string& group = columns_[i].of->group;
            text += std::string(gap_before(i), ' ');
            std::size_t span = columns_[i].width;
            std::size_t next = i + 1;
            for (; next != columns_.size() && !group.empty() && columns_[next].of->group == group; ++next) {
                span += gap_before(next) + columns_[next].width;
            }
            text += padded(group, span, false);
            i = next;
        }
        return without_trailing_spaces(text);
    }

    template <class Cell>
    std::string line(const Cell& cell_of) const {
        std::string text;
        for (std::size_t i = 0; i != columns_.size(); ++i) {
            const laid_out& c = columns_[i];
            text += std::string(gap_before(i), ' ') + padded(cell_of(c), c.width, c.of->is_text);
        }
        return without_trailing_spaces(text);
    }

    const table& table_;
    output_style style_;
    std::vector<laid_out> columns_;
    std::vector<std::string> hidden_;
};

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
        for (const std::string& line : l.part_of_text()) {
            out += std::string(indent, ' ') + wrap(printable(line), style_.width - indent, indent + 4) + '\n';
        }
        return out;
    }

    std::string operator()(const facts& f) const {
        std::string out;
        for (const auto& [name, value] : f.entries) {
            if (const std::string words = value.words(lettering::plain); !words.empty()) {
                out += wrap(printable(fmt::format("{}: {}", name, words)), style_.width, 4) + '\n';
            }
        }
        return out;
    }

    std::string operator()(const code& c) const {
        std::string out;
        for (const std::string& line : lines_of(c.text)) {
            out += "    " + printable(line) + '\n';
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
        if (!drawn.hidden().empty()) {
            remarks.insert(remarks.begin(),
                           fmt::format("hidden columns: {} (widen the terminal or use --json)",
                                       fmt::join(drawn.hidden(), ", ")));
        }
        for (const std::string& remark : remarks) {
            out += "  " + wrap(printable(remark), style_.width - 2, 4) + '\n';
        }
        return out;
    }

    std::string operator()(const picture&) const { return {}; }

    std::string operator()(const fold& f) const { return (*this)(code{f.brief}); }

    /// The blocks that a terminal shows; a heading stands next to the block that follows it.
    std::string blocks(const std::vector<block>& all) const {
        std::string out;
        bool is_below_heading = true;
        for (const block& b : all) {
            if (!includes(b.shown_in, forms::text)) {
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
    std::string indented(const std::vector<block>& detail) const {
        std::string out;
        const terminal_writer narrow{{style_.width - 4, style_.colour, style_.keeps_columns}};
        for (const std::string& line : lines_of(narrow.blocks(detail))) {
            out += "    " + line + '\n';
        }
        return out;
    }

    output_style style_;
};

} // namespace

std::string render_terminal(const document& d, const output_style& style) {
    const terminal_writer write{style};
    std::string top;
    for (const std::string& part : {d.alert, d.lead}) {
        for (const std::string& line : lines_of(part)) {
            top += write(paragraph{line, true});
        }
    }
    std::vector<std::string> parts{top, write.blocks(d.introduction)};
    for (const section& s : d.sections) {
        const std::string text = write.blocks(s.blocks);
        const bool has_title = !text.empty() && includes(s.titled_in, forms::text);
        parts.push_back((has_title ? write(subheading{s.title}) : "") + text);
    }
    std::string end;
    if (!d.provenance.empty()) {
        end += wrap(d.provenance, style.width, 2) + '\n';
    }
    for (const std::string& warning : d.warnings) {
        end += wrap("warning: " + printable(warning), style.width, 4) + '\n';
    }
    parts.push_back(end);
    return joined(std::move(parts), "\n");
}

} // namespace linn::tool::report
