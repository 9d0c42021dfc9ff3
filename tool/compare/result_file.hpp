// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/files.hpp"

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
    std::string schema; ///< "linn.bench/2", "linn.run/1"
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

} // namespace linn::tool
