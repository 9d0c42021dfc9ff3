// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../profile/trace_profile.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace linn::tool {

/// What the work of a recording is counted in, so that two of different length can be compared.
struct work_unit {
    enum class kind {
        run,         ///< the recording is the unit
        allocations, ///< a thousand allocations of any type
        number,      ///< as many as the user says: requests, frames
        type,        ///< allocations of one type: an object for each request
    };

    kind what = kind::run;
    double old_count = 1; ///< of kind::number
    double new_count = 1;
    std::string type = {}; ///< of kind::type, as reports label it
};

/// Growth that fails a comparison: of the whole, or of one type.
struct growth_limits {
    std::optional<double> share; ///< of the old total of the measure
    std::optional<double> count;
};

struct trace_compare_options {
    profile_measure by = profile_measure::allocations; ///< rows are sorted by it
    work_unit per = {};
    double threshold = 0; ///< share of the old value by which a row must differ to be shown
    growth_limits limits = {};
};

/// What became of a row. The words are those of reports and JSON.
enum class row_change { same, added, gone, grown, shrunk };

/// "same", "new", "gone", "grown", "shrunk".
const char* to_string(row_change change) noexcept;

using trace_counts_of_work = std::array<double, summed_measures>;

/// A type, a place or a stack in both recordings. The place is that of the new recording if both have it.
struct trace_row : profile_row {
    trace_counts_of_work old_counts{}; ///< for each unit of work; what is never released, of the run
    trace_counts_of_work new_counts{};
    row_change change = row_change::same;
    profile_measure changed_in = profile_measure::allocations; ///< what `change` is about

    double difference(profile_measure m) const noexcept {
        return new_counts[static_cast<std::size_t>(m)] - old_counts[static_cast<std::size_t>(m)];
    }
};

/// One of the two recordings.
struct compared_trace {
    trace_profile profile;
    double work = 1;                     ///< units of it
    std::vector<std::string> incomplete; ///< why it does not show the whole run

    const trace_info& info() const noexcept { return profile.analysis.info; }
    /// Whether something that happened is missing: then nothing shows that they do not differ.
    bool lacks_events() const noexcept { return !info().missing.empty(); }
};

/// The whole of `linn compare` of two traces. Rows that differ come first, the largest change first.
struct trace_comparison {
    trace_compare_options options;
    compared_trace old_trace;
    compared_trace new_trace;
    trace_counts_of_work old_all{};
    trace_counts_of_work new_all{};
    std::vector<trace_row> types;
    std::vector<trace_row> places;
    std::vector<trace_row> stacks;
    std::string unit;                ///< "each of 1000 allocations"; empty: the run
    std::string verdict;             ///< one sentence
    std::vector<std::string> broken; ///< growth beyond the limits, a sentence each; the total first
    std::vector<std::string> warnings;
    std::string problem; ///< why the traces cannot be compared; empty when they can

    bool differs() const noexcept;
    bool lacks_events() const noexcept { return old_trace.lacks_events() || new_trace.lacks_events(); }
};

/// Compares two recordings by names, which two builds of a program share: types, functions and files; lines may move.
trace_comparison compare_traces(trace_profile old_trace, trace_profile new_trace,
                                const trace_compare_options& options);

/// How many of the rows, from the front, differ.
std::size_t changed_rows(const std::vector<trace_row>& rows) noexcept;

} // namespace linn::tool
