// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../compare/compare_files.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// What both the terminal's table and the Markdown one show of a changed series.
struct change_cells {
    std::string what;
    std::string before;
    std::string after;
    std::string change;
    std::string bounds;
    std::string p;
};

change_cells cells_of(const series_change& c);

/// The series of that kind, the largest change first.
std::vector<const series_change*> sorted_changes(const file_comparison& result, change_kind kind);

/// "values" or "ratios to glibc of the same file", and what a change must exceed: the line below the verdict.
std::string method_line(const file_comparison& result);

/// Names that follow each other as a list, cut off after a dozen: "object, linn, many; …; and 4 more".
std::string name_list(const std::vector<series_name>& names);

} // namespace linn::tool
