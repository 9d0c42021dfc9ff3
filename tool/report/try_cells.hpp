// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../try/trial.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace linn::tool {

/// One way to run the program, as every form of the report says it: the text table, Markdown and the page draw these
/// words and compute nothing.
struct try_cells {
    const run_row* row = nullptr;
    const estimate* cpu = nullptr; ///< never null
    std::string name;              ///< "HeapString"
    std::string milliseconds;      ///< of CPU time: "219.1"
    std::string change;            ///< "-10.6 %"; of the plain program empty, as are those that follow
    std::string bounds;            ///< "-20.9 to -4.8", of the change
    std::string verdict;           ///< "less", "more", "-", "(control)"
    std::string memory;            ///< peak memory in MiB: of the plain program "11.7", else by how much more
    std::string served;            ///< share of the recorded allocations: "99.9 %"; empty where none are
};

/// The ways that were measured in turns, and are compared with the same plain program.
struct try_part {
    std::string name;    ///< "alone", "together", "further": what the JSON calls it
    std::string heading; ///< "each alone"; empty where it is the only part
    const run_result* run = nullptr;
    std::vector<try_cells> rows;
};

/// The parts that were measured, in their order; of one whose plain program has no figures, there are no rows.
std::vector<try_part> parts_of(const try_result& result);

/// The candidate that a row measures alone.
std::optional<std::size_t> candidate_of(const try_result& result, const run_row& row);

/// How it was measured, a sentence a line.
std::vector<std::string> how_it_was_measured(const try_result& result,
                                             const std::vector<std::string>& command);

/// "left out: text (2.9 % of allocations): its blocks have many sizes", a line each.
std::vector<std::string> left_out_lines(const try_result& result);

/// "partial: stopped by SIGINT"; why it ended early; empty when it did not.
std::vector<std::string> partial_lines(const try_result& result);

} // namespace linn::tool
