// SPDX-License-Identifier: Apache-2.0
#include "layout.hpp"

#include "../measure/quantity.hpp"
#include "../symbols/short_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace linn::tool::live {
namespace {

using figures::quantity;
using figures::unit;

/// Screens that have room for one more column, and for all.
constexpr std::size_t wide_enough_for_blocks = 72;
constexpr std::size_t wide_enough_for_places = 100;
constexpr std::size_t most_output_lines = 6;

std::string about(double value) {
    return figures::written(unit::about, std::round(std::max(value, 0.0)));
}

std::string about(double value, std::string_view thing) {
    return figures::counted(figures::figure_of(unit::about, std::round(std::max(value, 0.0))),
                            figures::lettering::plain, thing);
}

std::string bytes(double value) {
    return figures::written(unit::bytes, std::round(std::max(value, 0.0)));
}

/// The error of an estimate; nothing where it is not known.
std::string within(double error) {
    return error > 0 ? fmt::format(", within {}", figures::percent(error)) : "";
}

std::string change(double value) {
    if (std::abs(value) < 0.5) {
        return "-";
    }
    return fmt::format("{}{}", value < 0 ? '-' : '+', bytes(std::abs(value)));
}

std::string seconds(double value) {
    const auto s = static_cast<unsigned long>(std::max(value, 0.0));
    return s < 60     ? fmt::format("{} s", s)
           : s < 3600 ? fmt::format("{}:{:02} min", s / 60, s % 60)
                      : fmt::format("{}:{:02}:{:02} h", s / 3600, s / 60 % 60, s % 60);
}

/// A number of the table and its heading.
struct column {
    const char* heading;
    std::size_t width;
    std::string (*cell)(const row_figures&);
    bool is_sorted;
};

std::vector<column> columns_for(std::size_t width, sort_key by) {
    std::vector<column> columns{
        {"alloc/s", 9, [](const row_figures& f) { return about(f.allocations); }, by == sort_key::rate}};
    if (width >= wide_enough_for_places) {
        columns.push_back({"bytes/s", 10, [](const row_figures& f) { return bytes(f.bytes); }, false});
    }
    columns.push_back(
        {"live", 10, [](const row_figures& f) { return bytes(f.live_bytes); }, by == sort_key::live});
    if (width >= wide_enough_for_blocks) {
        columns.push_back({"blocks", 8, [](const row_figures& f) { return about(f.live_blocks); }, false});
    }
    columns.push_back(
        {"growth", 11, [](const row_figures& f) { return change(f.growth); }, by == sort_key::growth});
    return columns;
}

/// Facts side by side, on as many lines as they need.
void add_facts(std::vector<screen_line>& lines, const std::vector<std::string>& facts, std::size_t width) {
    std::string line;
    for (const std::string& fact : facts) {
        if (!line.empty() && line.size() + 3 + fact.size() > width) {
            lines.push_back({std::move(line), line_style::plain});
            line.clear();
        }
        line += line.empty() ? fact : "   " + fact;
    }
    lines.push_back({std::move(line), line_style::plain});
}

std::vector<std::string> facts_of(const live_table& t) {
    std::vector<std::string> facts{
        fmt::format("{} allocations/s", about(t.all.allocations)),
        fmt::format("{}{} in all", t.is_estimated ? "about " : "", about(t.allocations)),
        fmt::format("live {} in {}", bytes(t.all.live_bytes), about(t.all.live_blocks, "block")),
        fmt::format("{} in {}", std::abs(t.all.growth) < 0.5 ? "+0 B" : change(t.all.growth),
                    seconds(t.window + 0.5))};
    if (t.processes > 1) {
        facts.push_back(figures::counted(t.processes, "process"));
    }
    facts.push_back(figures::counted(t.threads, "thread"));
    facts.push_back(about(t.dropped, "event") + " lost");
    if (t.one_chunk_in > 1) {
        facts.push_back(
            fmt::format("rates: estimated from 1 event in {}{}", t.one_chunk_in, within(t.error)));
    }
    if (t.one_in > 1) {
        facts.push_back(fmt::format("live: estimated from 1 block in {}", t.one_in));
    }
    return facts;
}

void add_title(std::vector<screen_line>& lines, const std::string& program, const live_table& t,
               bool is_paused, std::size_t width) {
    const std::string right = (is_paused ? "PAUSED  " : "") + seconds(t.seconds);
    const std::size_t room = width > right.size() + 1 ? width - right.size() - 1 : 0;
    lines.push_back({fmt::format("{:<{}.{}} {}", "linn record --live: " + program, room, room, right),
                     line_style::strong});
}

void add_keys(std::vector<screen_line>& lines, const view_choice& choice, std::size_t width) {
    const char* const sorts[] = {"rate", "live", "growth"};
    std::string text;
    for (const std::string& key :
         {fmt::format("s sort: {}", sorts[static_cast<std::size_t>(choice.sort)]), std::string{"q end view"},
          std::string{choice.is_paused ? "p go on" : "p pause"},
          fmt::format("w window: {} s", static_cast<unsigned>(choice.window)),
          std::string{"arrows scroll"}}) {
        if (text.size() + key.size() + 2 <= width) {
            text += (text.empty() ? "" : "  ") + key;
        }
    }
    lines.push_back({fmt::format("{:<{}}", text, width), line_style::heading});
}

/// The table's heading and rows, on `room` lines.
void add_table(screen_text& screen, const live_table& t, const view_choice& choice, std::size_t width,
               std::size_t room) {
    const std::vector<column> columns = columns_for(width, choice.sort);
    std::size_t numbers = 0;
    for (const column& c : columns) {
        numbers += c.width + 1;
    }
    const std::size_t rest = width > numbers ? width - numbers : 0;
    const std::size_t place_width = width >= wide_enough_for_places ? rest * 2 / 5 : 0;
    const std::size_t name_width = rest - place_width;
    std::string heading = fmt::format("{:<{}.{}}", "type", name_width, name_width);
    for (const column& c : columns) {
        heading += fmt::format(" {:>{}}", (c.is_sorted ? "v " : "") + std::string{c.heading}, c.width);
    }
    heading += fmt::format("{:<{}.{}}", place_width > 2 ? "  place" : "", place_width, place_width);
    screen.lines.push_back({std::move(heading), line_style::heading});

    const std::size_t shown = std::min(room - 1, t.rows.size());
    screen.first_row = std::min(choice.first_row, t.rows.size() - shown);
    screen.rows = shown;
    std::vector<std::string> names;
    for (std::size_t i = 0; i != shown; ++i) {
        names.push_back(t.rows[screen.first_row + i].name);
    }
    names = short_types(names, name_width);
    for (std::size_t i = 0; i != shown; ++i) {
        const live_row& row = t.rows[screen.first_row + i];
        std::string line = fmt::format("{:<{}.{}}", names[i], name_width, name_width);
        for (const column& c : columns) {
            line += fmt::format(" {:>{}}", c.cell(row.figures), c.width);
        }
        if (place_width > 2) {
            line += fmt::format("  {:.{}}", row.place, place_width - 2);
        }
        screen.lines.push_back({std::move(line), line_style::plain});
    }
    if (t.rows.empty()) {
        screen.lines.push_back(
            {t.seconds > 0 ? "nothing is allocated" : "waiting for the program", line_style::faint});
    }
}

} // namespace

screen_text lay_out(const std::string& program, const live_table& table, const view_choice& choice,
                    const std::vector<std::string>& output, std::size_t columns, std::size_t lines) {
    screen_text screen;
    add_title(screen.lines, program, table, choice.is_paused, columns);
    add_facts(screen.lines, facts_of(table), columns);
    const std::size_t pane = output.empty() ? 0 : std::min({output.size(), most_output_lines, lines / 4}) + 1;
    const std::size_t used = screen.lines.size() + pane + 1;
    if (lines > used + 1) {
        add_table(screen, table, choice, columns, lines - used);
    }
    while (screen.lines.size() + pane + 1 < lines) {
        screen.lines.push_back({});
    }
    if (pane > 1) {
        screen.lines.push_back(
            {fmt::format("{:-<{}}", "-- output of the program ", columns), line_style::faint});
        for (std::size_t i = output.size() - (pane - 1); i != output.size(); ++i) {
            screen.lines.push_back({output[i], line_style::plain});
        }
    }
    add_keys(screen.lines, choice, columns);
    // A screen of a few lines has what fits.
    screen.lines.resize(lines);
    for (screen_line& line : screen.lines) {
        line.text = fmt::format("{:.{}}", line.text, columns);
    }
    return screen;
}

std::string one_line(const live_table& t) {
    std::string text =
        fmt::format("{}: {}{} allocations/s, live {} in {}, {} in {}", seconds(t.seconds),
                    t.one_chunk_in > 1 ? "about " : "", about(t.all.allocations), bytes(t.all.live_bytes),
                    about(t.all.live_blocks, "block"),
                    std::abs(t.all.growth) < 0.5 ? "+0 B" : change(t.all.growth), seconds(t.window + 0.5));
    if (t.dropped > 0) {
        text += ", " + about(t.dropped, "event") + " lost";
    }
    const auto most = [&](auto value, const char* what, auto cell) {
        const auto row =
            std::max_element(t.rows.begin(), t.rows.end(), [&](const live_row& a, const live_row& b) {
                return value(a.figures) < value(b.figures);
            });
        if (row != t.rows.end() && value(row->figures) >= 1) {
            text += fmt::format("; {} {} ({})", what, short_type(row->name, 40), cell(row->figures));
        }
    };
    most([](const row_figures& f) { return f.allocations; }, "most often",
         [](const row_figures& f) { return about(f.allocations) + "/s"; });
    most([](const row_figures& f) { return f.growth; }, "grows",
         [](const row_figures& f) { return change(f.growth); });
    return text;
}

} // namespace linn::tool::live
