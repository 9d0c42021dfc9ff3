// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compare_files.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace linn::tool {

/// One result of a history.
struct history_file {
    std::string path;
    std::string started; ///< ISO 8601, UTC
    std::string version;
    bool complete = true;
};

/// What one result says of a row.
struct history_point {
    std::size_t file = 0; ///< index of `result_history::files`
    double median = 0;
    std::size_t samples = 0;
    change_kind step = change_kind::unchanged; ///< from the result before it; the first one has no step
    double change = 0;                         ///< since the result before it, 0.1 is 10 % more
};

/// One row over all results that have it.
struct history_row {
    series_name name;
    std::string unit; ///< "ratio" where the machines differ
    std::vector<history_point> points;

    /// The largest certain step, up or down; 0 where there is none.
    double largest_step() const noexcept;
    std::size_t steps() const noexcept;
};

/// The whole of `linn compare --history`.
struct result_history {
    compare_options options;          ///< `by` is what was done
    std::vector<history_file> files;  ///< by the time at which they began
    std::vector<history_row> rows;    ///< the largest step first, then by name
    std::vector<std::string> skipped; ///< files of the folder that do not belong to it, with the reason
    std::string verdict;              ///< one sentence
    std::string problem;              ///< why there is no history; empty: there is

    std::size_t rows_with_steps() const noexcept;
};

/// Reads the results of a folder (*.json, not those below it) and compares each with the one before it. What the newest one
/// measured decides: results of another schema, program or setting are left out. A step is called certain as compare_files()
/// does, where the chance of any false one over the whole history is at most 1 - level.
/// @complexity linear in the files, which are all in memory
result_history read_history(const std::filesystem::path& folder, const compare_options& options);

} // namespace linn::tool
