// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../profile/trace_profile.hpp"
#include "../../symbols/symbolizer.hpp"
#include "../../trace/event.hpp"
#include "../../trace/info.hpp"

#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// What a trace can become, for other programs (docs/guide/convert.md).
enum class export_format {
    /// A line a stack: its functions from the outermost to the innermost with ';' between them, a space, its weight. Inlined
    /// functions are functions. Lines are sorted, equal ones are one; what weighs nothing is left out.
    /// @source the format that Brendan Gregg's flamegraph.pl, speedscope and inferno read
    collapsed,
    /// A profile as pprof reads it, compressed: allocations and bytes, in all and still live at the end, by stack. With a filter only
    /// the blocks that it lets through, and their bytes, as "peak_objects" and "peak_space" and the like. Modules lie at made-up
    /// addresses, apart from each other. @source profile.proto of github.com/google/pprof
    pprof,
    csv,       ///< a line an event
    csv_stacks ///< a heading and a line for each stack and call; stacks have the numbers that the events have
};

/// The names that `--convert` takes, in the order of the enumeration: "collapsed", "pprof", "csv", "csv-stacks".
const std::vector<std::string>& export_format_names();

/// What a collapsed stack weighs.
enum class export_weight {
    bytes,
    allocations,
    time ///< nanoseconds of CPU time in the allocator, with the page faults of the blocks
};

struct export_options {
    export_format format = export_format::collapsed;
    export_weight weight = export_weight::bytes; ///< of collapsed stacks; the other formats hold both
    block_filter filter = block_filter::all;     ///< which blocks are counted
    bool keeps_runtime = false; ///< with the filter `leaks`: also what the runtime libraries keep on purpose
};

/// The frames at an address of a stack, innermost first; at least one, which may have no name.
using address_names = std::function<std::vector<symbol_frame>(const code_address&)>;

/// Those that the symbolizer finds. Both must outlive the result.
address_names names_by(const trace_info& info, symbolizer& symbols);

/// Writes the stacks of a recording that have a block which the filter lets through, in any form but `csv`. Whether everything was
/// written is the stream's state.
void export_stacks(const trace_profile& profile, const address_names& names, const export_options& options,
                   std::ostream& out);

/// The heading of the events as CSV, and a line for each; in a sampled trace an allocation has its weight too.
void write_event_heading(const trace_info& info, std::ostream& out);
void write_events(const trace_info& info, std::span<const event> events, std::ostream& out);

} // namespace linn::tool
