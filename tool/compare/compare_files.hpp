// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/statistics.hpp"
#include "result_file.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace linn::tool {

/// What is compared between the two files.
enum class compare_by {
    automatic, ///< values, or ratios where the machines differ
    absolute,  ///< the values themselves
    ratio,     ///< each value by the reference's in the same file
};

struct compare_options {
    double threshold = 0.05; ///< a smaller change is never reported
    double level = 0.95;     ///< of the intervals; 1 - level bounds the chance of any false report
    compare_by by = compare_by::automatic;
    std::vector<std::string> scenarios;  ///< empty: all
    std::vector<std::string> contenders; ///< empty: all
    std::vector<std::string> measures;   ///< phases or metrics; empty: all
};

enum class change_kind {
    regression,
    improvement,
    unchanged,
    undecided, ///< too few samples for any difference to be significant
};

/// The word for it in reports and JSON.
const char* to_string(change_kind kind) noexcept;

/// What one series is in both files.
struct series_change {
    series_name name;
    std::string unit; ///< of the medians; "ratio" where ratios were compared
    double old_median = 0;
    double new_median = 0;
    std::size_t old_count = 0;
    std::size_t new_count = 0;
    interval change;        ///< of the medians: new by old, less 1; infinite from 0
    double p = 1;           ///< of the Mann-Whitney test
    double p_adjusted = 1;  ///< after Holm, over all series compared
    double noise_floor = 0; ///< the larger one of both files
    change_kind kind = change_kind::unchanged;
};

/// The whole of `linn compare`.
struct file_comparison {
    compare_options options; ///< `by` is what was done
    result_file old_file;
    result_file new_file;
    std::vector<series_change> series; ///< in the order of their names
    std::vector<series_name> appeared;
    std::vector<series_name> vanished;
    std::vector<std::string> warnings; ///< what weakens the comparison
    std::string verdict;               ///< one sentence
    std::string problem;               ///< why the files cannot be compared; empty when they can

    std::size_t count(change_kind kind) const noexcept;
    /// True when there were series, but none with enough samples.
    bool nothing_decided() const noexcept;
};

/// Compares two results of one schema. A change is reported when the Mann-Whitney test, adjusted by Holm's method over all
/// series, says so at the level, and the medians differ by more than the threshold and than both noise floors.
file_comparison compare_files(result_file old_file, result_file new_file, const compare_options& options);

/// "pipeline, linn_make_shared on linn, flat_out"; "jemalloc, wall_ns".
std::string describe(const series_name& name);

} // namespace linn::tool
