// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../profile/trace_profile.hpp"
#include "../../symbols/symbolizer.hpp"
#include "../../trace/info.hpp"
#include "../document/document.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace linn::tool::report {

/// A place in the source: what is not known of it is null.
nlohmann::ordered_json frame_json(const symbol_frame& frame);

/// A frame as every schema of a profile has it: function, file, line, library; what is not known is null.
nlohmann::ordered_json profile_frame_json(const symbol_frame& frame);

/// What the rows of a table of types, places or stacks are named by; what a row has none of is left out.
nlohmann::ordered_json row_name_json(const profile_row& row);

/// Such a row as a line of CSV: what it is, and the functions of its stack with semicolons between them.
nlohmann::ordered_json line_of(const char* what, nlohmann::ordered_json row);

/// The lines of the tables of types, places and stacks; `row_json` makes the object of a row.
template <class Tables, class Maker>
nlohmann::ordered_json lines_of_tables(const Tables& all, const Maker& row_json) {
    nlohmann::ordered_json lines = nlohmann::ordered_json::array();
    for (const auto& [what, rows] :
         {std::pair{"type", &all.types}, std::pair{"place", &all.places}, std::pair{"stack", &all.stacks}}) {
        for (const auto& row : *rows) {
            lines.push_back(line_of(what, row_json(row)));
        }
    }
    return lines;
}

/// A line for each call, innermost first: "ledger::copied, ledger.cpp:45", "from main, ledger.cpp:80". A page folds all of them
/// away; text shows at most six, from the user's own code to main().
fold stack_lines(const std::vector<symbol_frame>& stack, const symbol_frame& place);

/// What the rows of a table of a profile are.
enum class row_kind { types, places, stacks };

constexpr const char* to_string(row_kind kind) noexcept {
    return word_of(kind, {"types", "places", "stacks"});
}

/// A table whose first two columns name its rows: a type, or a place and its function. `cells_of` makes what stands behind the name
/// of a row. A page shows some hundreds, text `top` of them; of stacks, each with its calls below it, less.
template <class Row, class Cells>
table table_of(row_kind kind, std::string caption, const std::vector<column>& others,
               std::span<const Row> rows, std::size_t top, const Cells& cells_of) {
    const bool are_stacks = kind == row_kind::stacks;
    const bool are_places = kind == row_kind::places;
    table t{std::move(caption),
            {{.heading = word_of(kind, {"type", "place", "type and stack"}),
              .is_text = true,
              .shorten = are_places ? cut::front : cut::type,
              .least = 20},
             {.heading = "function", .is_text = true, .droppable = 4, .shorten = cut::end, .least = 12}}};
    t.columns.insert(t.columns.end(), others.begin(), others.end());
    for (const Row& r :
         rows.first(std::min(rows.size(), std::max<std::size_t>(top, are_stacks ? 60 : 200)))) {
        row& added = t.rows.emplace_back(cells_of(r));
        added.cells.insert(added.cells.begin(), {are_places ? place_name(r.place) : r.label,
                                                 are_places ? function_name(r.place) : ""});
        if (are_stacks) {
            added.detail.push_back({stack_lines(r.stack, r.place)});
        }
    }
    t.cut(are_stacks ? std::min<std::size_t>(top, 3) : top, rows.size(), to_string(kind));
    return t;
}

/// When and where it was recorded, and how long the program ran.
facts recording_facts(const trace_info& info);

/// The program of a trace, and its run.
nlohmann::ordered_json recorded_json(const trace_info& info);

/// Of a sampled trace: how many blocks an estimate comes from, and the 95 % interval of the bytes. Null where all were recorded.
nlohmann::ordered_json sample_json(const sample_spread& spread, double bytes);

} // namespace linn::tool::report
