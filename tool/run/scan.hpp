// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace linn::tool {

/// A placeholder `{name}` of a command, and what stands in its place, one run after the other.
struct scan_parameter {
    std::string name;
    std::vector<std::string> values;
};

/// A run with one value for each parameter.
struct scan_point {
    std::vector<std::string> values; ///< in the order of the parameters
    run_result run;
};

/// The whole of `linn run --scan`: every combination of values, in the order in which they were measured.
struct scan_result {
    std::vector<scan_parameter> parameters;
    std::vector<std::string> command; ///< with the placeholders
    std::vector<scan_point> points;   ///< those that were measured
    std::size_t planned = 0;          ///< points
    std::string verdict;              ///< one sentence
    std::string problem;              ///< what ended it early; empty: nothing
    bool is_usage_error = false;
    int interrupted_by = 0;

    bool complete() const noexcept { return points.size() == planned && interrupted_by == 0; }
};

/// More are refused: each takes a budget of its own.
inline constexpr std::size_t most_scan_points = 100;

/// Reads "NAME=VALUE,VALUE,…". Returns what is wrong with it, or an empty string.
std::string read_scan(const std::string& text, scan_parameter& into);

/// What is wrong with some parameters together: one that is given twice, that nothing refers to, or too many points.
std::string check_scan(const std::vector<scan_parameter>& parameters, const run_options& options,
                       const std::vector<std::string>& command);

/// "n = 4, m = 2".
std::string scan_label(const std::vector<scan_parameter>& parameters, const std::vector<std::string>& values);

/// Measures a program at one point; `linn run` without a scan.
using run_at_point =
    std::function<run_result(const run_options& options, const std::vector<std::string>& command)>;

/// Called before each point: its number from 0, how many there are, and its label.
using scan_notice = std::function<void(std::size_t at, std::size_t of, const std::string& label)>;

/// Measures all points, one after the other; the budget is divided among them. Ends early where one cannot be measured, or
/// on a signal. @pre check_scan() finds nothing
scan_result run_scan(std::vector<scan_parameter> parameters, const run_options& options,
                     const std::vector<std::string>& command, const run_at_point& run,
                     const scan_notice& notice);

} // namespace linn::tool
