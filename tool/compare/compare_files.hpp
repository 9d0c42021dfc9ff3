// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/files.hpp"
#include "../measure/statistics.hpp"

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace linn::tool {

/// Names one thing that was measured. Those of `linn run` have neither scenario nor variant.
struct series_name {
    std::string scenario;
    std::string variant;
    std::string contender;
    std::string measure; ///< a phase of a scenario, or a metric of a run

    auto operator<=>(const series_name&) const = default;
};

/// What was measured of it, in the order of the rounds. Less is better.
struct measured_series {
    std::vector<double> values;
    std::vector<double> ratios; ///< to the reference of the same file, round by round; empty: there is none
    std::string unit;           ///< "ns", "bytes", or empty for a count
    double noise_floor = 0;     ///< the gap between the two copies of the reference; 0: unknown
    bool is_reference = false;  ///< what the ratios are to: glibc, or the program's default
    bool is_control = false;    ///< the second copy of it
};

/// A result that `linn bench --json` or `linn run --json` wrote, as far as comparing needs it.
struct result_file {
    std::string path;
    std::string schema; ///< "linn.bench/2", "linn.run/2"
    std::string version;
    std::string started;
    bool complete = true;
    std::map<std::string, std::string> machine; ///< field → value, as JSON text where it is no string
    std::map<std::string, std::string> setting; ///< what must be equal for two files to be comparable
    std::map<series_name, measured_series> series;

    bool is_bench() const noexcept { return schema.starts_with("linn.bench/"); }
    /// "glibc" or "default": what ratios are to.
    const char* reference() const noexcept { return is_bench() ? "glibc" : "the default allocator"; }
};

/// Reads such a file. @throws unusable_input when it is missing, no JSON, of another schema, or lacks what its schema
/// promises; fields that this version does not know are passed over
result_file read_result_file(const std::filesystem::path& path);

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
