// SPDX-License-Identifier: Apache-2.0
// The plots of pages, each in the source of its name.
#pragma once

#include "../../bench/bench.hpp"
#include "figure.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {
// Declared only, because `make bench` builds what the headers of bench_report.cpp lead to.
enum class block_filter : std::uint8_t;
struct metric_info;
struct run_result;
struct run_row;
struct trace_analysis;
struct trace_profile;
} // namespace linn::tool

namespace linn::tool::html {

// bench_plots.cpp

/// Rows of a scenario that stand together, fastest first: those of one way of doing its work on every allocator, or those
/// of all ways that bring a pool of their own.
struct row_group {
    std::string heading;
    std::string note; ///< what the heading does not say
    std::vector<const row*> rows;
    std::optional<std::size_t> variant; ///< of a way that runs on every allocator
};

/// All rows of the scenario that have samples, each once.
std::vector<row_group> group_rows(const scenario_result& s);

/// What a row is called within its group.
std::string label_of(const bench_result& result, const scenario_result& s, const row_group& g, const row& r);

/// Linn's rows and the second copy of the baseline are set apart.
emphasis style_of(const bench_result& result, const row& r);

/// Every sample of a scenario relative to the baseline, a panel a phase. For scenarios whose phases are sizes, curves over the size instead.
markup scenario_plots(const bench_result& result, const scenario_result& s);

// run_plots.cpp

/// Every run as a dot: these metrics by the default's in the same round, panels side by side.
markup metrics_plot(const run_result& result, const std::vector<const metric_info*>& shown);

// recording_plots.cpp

/// Live bytes, live blocks and events over the run, each in a panel of its own, one above the other. Nothing where the
/// trace has no time.
markup run_over_time(const trace_analysis& t);

// Boxes hang from the whole, each as wide as its share; a nested list underneath. What is too small to be seen is put together
// ("12 more"), so that at most some thousands are drawn and nothing of any weight is lost. The script switches what the width
// stands for, zooms and searches.

/// The stacks of a recording, from the outermost call to the type, as wide as the bytes allocated, their number, what was live at the
/// peak, temporary or never released. The script begins with the measure of the filter.
markup flame_of_stacks(const trace_profile& profile, block_filter filter, bool keeps_runtime);

} // namespace linn::tool::html
