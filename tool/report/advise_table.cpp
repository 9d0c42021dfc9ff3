// SPDX-License-Identifier: Apache-2.0
#include "advise_table.hpp"

#include "../advise/cost.hpp"
#include "../advise/type_groups.hpp"
#include "../symbols/short_name.hpp"
#include "advise_cells.hpp"
#include "remarks.hpp"
#include "table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace linn::tool {
namespace {

constexpr std::size_t detailed = 5;     // types with details where none is asked for
constexpr std::size_t most_places = 3;  // of a type
constexpr std::size_t many_places = 12; // of a type that was asked for
constexpr std::size_t most_findings = 12;
constexpr std::size_t least_name_width = 22;
constexpr std::size_t wide_name = 60;
constexpr std::size_t long_name = 160; // of a heading

std::vector<const advised_type*> chosen_types(const advice& a, const advise_view& view) {
    std::vector<const advised_type*> types;
    for (const advised_type& type : a.types)
        if (view.only_type.empty() || label_of(type).find(view.only_type) != std::string::npos ||
            type.name.find(view.only_type) != std::string::npos)
            types.push_back(&type);
    return types;
}

/// Whether any of the types has to do with --try.
bool was_tried(const std::vector<const advised_type*>& types) {
    return std::any_of(types.begin(), types.end(),
                       [](const advised_type* t) { return t->tried || !t->not_tried.empty(); });
}

table make_table(const std::vector<const advised_type*>& types, std::size_t most, std::size_t name_width) {
    std::vector<table_column> columns{
        {"type", "", true, 0},  {"count", "", false, 0}, {"share", "", false, 3},  {"size", "", false, 4},
        {"live", "", false, 7}, {"life", "", false, 6},  {"remote", "", false, 5}, {"gain", "", false, 0}};
    const bool is_tried = was_tried(types);
    if (is_tried)
        columns.push_back({"measured", "", false, 0});
    columns.push_back({"use", "", true, 1});
    table t{columns};
    std::vector<std::string> names;
    for (std::size_t i = 0; i != std::min(types.size(), most); ++i)
        names.push_back(label_of(*types[i]));
    names = short_types(names, name_width);
    for (std::size_t i = 0; i != names.size(); ++i) {
        const advise_cells c = cells_of(*types[i]);
        std::vector<std::string> row{names[i],    c.count,       c.share,  c.size,
                                     c.peak_live, c.median_life, c.remote, c.gain.empty() ? "-" : c.gain};
        if (is_tried)
            row.push_back(c.measured);
        row.push_back(c.use.empty() ? "-" : c.use);
        t.add_row(row, types[i]->what != remedy::nothing && types[i]->gain.high >= 0.01);
    }
    return t;
}

/// With names as long as they may be without a column less.
table make_table_for(const std::vector<const advised_type*>& types, std::size_t most, std::size_t width) {
    const output_style narrow{width};
    const std::size_t dropped = make_table(types, most, least_name_width).dropped(narrow).size();
    std::size_t name_width = wide_name;
    while (name_width > least_name_width &&
           make_table(types, most, name_width).dropped(narrow).size() > dropped)
        name_width -= 2;
    return make_table(types, most, std::max(name_width, least_name_width));
}

std::string indented(const std::string& lines, std::size_t spaces) {
    std::string out;
    for (std::size_t begin = 0; begin < lines.size();) {
        const std::size_t end = std::min(lines.find('\n', begin), lines.size());
        out += std::string(spaces, ' ') + lines.substr(begin, end - begin) + '\n';
        begin = end + 1;
    }
    return out;
}

std::string place_line(const advised_place& place) {
    const symbol_frame& f = place.frame;
    const std::string where = f.file.empty() ? "" : fmt::format("{}:{}", f.file, f.line);
    if (where.empty())
        return place_text(f).substr(f.function.empty() && f.library.empty() ? 0 : 3); // without "in "
    return f.function.empty() ? where : fmt::format("{}, {}", where, f.function);
}

std::string details(const advised_type& type, bool asked_for, const std::string& change,
                    const output_style& style) {
    std::string title = short_type(label_of(type), long_name);
    if (type.serves > 1)
        title += fmt::format(" and {} more", type.serves - 1);
    if (!type.part.empty())
        title +=
            fmt::format(": use {}, ", short_type(type.part, long_name)) +
            (type.served_with.empty() ? (type.is_gain_measured ? "" : "estimated ") + gain_text(type.gain)
                                      : "with " + short_type(type.served_with, long_name));
    std::string out = '\n' + bold(style, wrap(title, style.width, 4)) + '\n';
    if (const std::string tried = tried_text(type); !tried.empty())
        out += "  " + wrap(tried + ".", style.width - 2, 2) + '\n';
    out += "  " + wrap(type.why + ".", style.width - 2, 2) + '\n';
    const std::size_t most = asked_for ? many_places : most_places;
    for (std::size_t i = 0; i != std::min(type.places.size(), most); ++i) {
        const std::string line = place_line(type.places[i]);
        if (!line.empty())
            out += "  " +
                   wrap(fmt::format("{} ({})", line, share_text(type.places[i].share)), style.width - 2, 4) +
                   '\n';
        if (asked_for)
            for (std::size_t k = 1; k < std::min<std::size_t>(type.places[i].callers.size(), 9); ++k)
                out +=
                    "    " +
                    wrap("from " + place_line({type.places[i].callers[k], 0, {}, {}}), style.width - 4, 6) +
                    '\n';
    }
    if (type.places.size() > most)
        out += fmt::format("  and {} more places\n", type.places.size() - most);
    return out + indented(change, 4);
}

std::string warning_lines(const advice& a, const output_style& style) {
    std::string out;
    for (const std::string& warning : a.warnings)
        out += wrap("warning: " + warning, style.width, 4) + '\n';
    if (a.tried)
        for (const std::string& warning : a.tried->warnings)
            out += wrap("warning: --try: " + warning, style.width, 4) + '\n';
    return out;
}

/// What the column "measured" means, and why some rows have nothing in it: the types of each reason together.
std::vector<std::string> measured_lines(const std::vector<const advised_type*>& types, std::size_t most) {
    if (!was_tried(types))
        return {};
    std::vector<std::string> lines{
        "measured: the 95 % interval of what pools of the type saved by linn try, a lower "
        "bound; in parentheses: together with other types, as one"};
    std::vector<std::pair<std::string, std::vector<std::string>>> reasons; // in the order of the table
    for (std::size_t i = 0; i != std::min(types.size(), most); ++i) {
        if (types[i]->not_tried.empty())
            continue;
        auto known = std::find_if(reasons.begin(), reasons.end(),
                                  [&](const auto& r) { return r.first == types[i]->not_tried; });
        if (known == reasons.end())
            known = reasons.insert(known, {types[i]->not_tried, {}});
        known->second.push_back(short_type(label_of(*types[i]), wide_name));
    }
    for (const auto& [reason, labels] : reasons)
        lines.push_back(fmt::format("not measured: {}: {}", fmt::join(labels, ", "), reason));
    return lines;
}

} // namespace

std::string advise_report(const advice& a, const advise_view& view, const output_style& style) {
    std::string out;
    if (a.interrupted_by != 0)
        out += bold(style, "partial: interrupted while replaying") + '\n';
    out += bold(style, wrap(a.verdict, style.width)) + "\n\n";
    for (const std::string& sentence : trial_sentences(a))
        out += wrap(sentence, style.width) + '\n';
    if (a.tried)
        out += '\n';
    out += wrap(run_line(a), style.width, 2) + '\n';
    const std::vector<const advised_type*> types = chosen_types(a, view);
    if (types.empty()) {
        if (!view.only_type.empty())
            out += fmt::format("\nno type has '{}' in its name\n", view.only_type);
        return out + warning_lines(a, style);
    }
    const table t = make_table_for(types, view.top, style.width);
    out += '\n' + t.render(style);
    std::vector<std::string> remarks;
    if (types.size() > view.top)
        remarks.push_back(
            fmt::format("and {} more types; --top shows more, --json all", types.size() - view.top));
    if (const std::vector<std::string> hidden = t.dropped(style); !hidden.empty())
        remarks.push_back(hidden_columns(hidden));
    remarks.push_back(method_line(a));
    for (std::string& line : measured_lines(types, view.top))
        remarks.push_back(std::move(line));
    if (const std::string estimates = estimates_line(a); !estimates.empty())
        remarks.push_back(estimates);
    out += prose_lines(remarks, style.width);

    std::size_t shown = 0;
    std::set<std::string> changes;
    for (const advised_type* type : types)
        if (!view.only_type.empty()
                ? shown < view.top
                : type->what != remedy::nothing && type->served_with.empty() && shown < detailed) {
            const bool is_new = changes.insert(type->snippet).second;
            out += details(*type, !view.only_type.empty(),
                           is_new || type->snippet.empty() ? type->snippet : "the change above\n", style);
            ++shown;
        }
    if (!a.findings.empty())
        out += '\n';
    for (std::size_t i = 0; i != std::min(a.findings.size(), most_findings); ++i)
        out += wrap(a.findings[i].text, style.width, 4) + '\n';
    if (a.findings.size() > most_findings)
        out += fmt::format("and {} more findings; --json has all\n", a.findings.size() - most_findings);
    return out + warning_lines(a, style);
}

} // namespace linn::tool
