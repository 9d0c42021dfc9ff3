// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../profile/block_filter.hpp"
#include "../../profile/trace_profile.hpp"
#include "../../symbols/symbolizer.hpp"
#include "../../trace/reader.hpp"

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// What a trace can become, for other programs (docs/guide/convert.md).
enum class export_format {
    collapsed, ///< a line a stack, with its weight: flamegraph.pl, speedscope, inferno
    pprof,     ///< profile.proto, compressed
    csv,       ///< a line an event
    csv_stacks ///< a line a stack
};

/// The names that `--convert` takes, in the order of the enumeration: "collapsed", "pprof", "csv", "csv-stacks".
const std::vector<std::string>& export_format_names();

/// The format of a name; nothing where it is none.
std::optional<export_format> export_format_of(std::string_view name);

/// What a collapsed stack weighs.
enum class export_weight { bytes, allocations };

struct export_options {
    export_format format = export_format::collapsed;
    export_weight weight = export_weight::bytes; ///< of collapsed stacks; the other formats hold both
    block_filter filter = block_filter::all;     ///< which blocks are counted
    bool keeps_runtime = false; ///< with the filter `leaks`: also what the runtime libraries keep on purpose
};

/// Writes the stacks of a recording in another form: any but `csv`. Whether everything was written is the stream's state.
void export_stacks(const trace_profile& profile, symbolizer& symbols, const export_options& options,
                   std::ostream& out);

/// Reads the whole trace and writes its events as CSV, in constant memory. Whether everything was written is the stream's
/// state. Throws what the reader throws.
void export_events(trace_reader& trace, const std::function<bool(double)>& progress, std::ostream& out);

} // namespace linn::tool
