// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../profile/trace_profile.hpp"
#include "../../profile/trace_view.hpp"
#include "../../symbols/symbolizer.hpp"
#include "../../trace/event.hpp"
#include "../../trace/info.hpp"
#include "../../trace/reader.hpp"

#include <functional>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// What one stack allocated by one call, as `linn trace` counts it.
struct exported_stack {
    std::uint32_t stack = 0; ///< index of `trace_info::stacks`
    allocation_call call = allocation_call::none;
    site_statistics statistics;
    block_counts counts; ///< the blocks that the filter lets through
    block_counts live;   ///< the blocks that were never released
    std::uint64_t allocator_ns = 0;
};

/// The stacks of a profile that have a block which the filter lets through, ordered as the sites of the profile. With the
/// filter `leaks`, blocks that the runtime libraries keep on purpose count only where `keeps_runtime` is true.
std::vector<exported_stack> exported_stacks(const trace_profile& profile, block_filter filter,
                                            bool keeps_runtime);

/// The frames at an address of a stack, innermost first; at least one, which may have no name.
using address_names = std::function<std::vector<symbol_frame>(const code_address&)>;

/// Those that the symbolizer finds. Both must outlive the result.
address_names names_by(const trace_info& info, symbolizer& symbols);

/// A function's name; where it is not known "0x12af in libfoo.so".
std::string name_of(const symbol_frame& frame, const code_address& at, const trace_info& info);

/// The last part of a path.
std::string_view file_name(std::string_view path);

/// What a collapsed stack weighs.
enum class export_weight {
    bytes,
    allocations,
    time ///< nanoseconds of CPU time in the allocator, with the page faults of the blocks
};

/// A line a stack: its functions from the outermost to the innermost with ';' between them, a space, its weight. Inlined
/// functions are functions. Lines are sorted, equal ones are one; what weighs nothing is left out.
/// @source the format that Brendan Gregg's flamegraph.pl reads
void write_collapsed(const trace_info& info, std::span<const exported_stack> stacks,
                     const address_names& names, export_weight weight, std::ostream& out);

/// A profile as pprof reads it, compressed: allocations and bytes, in all and still live at the end, by stack.
/// With a filter: only the blocks that the stacks were filtered for, and their bytes, as "peak_objects" and "peak_space" and the like. Modules
/// lie at made-up addresses, apart from each other.
/// @source profile.proto of github.com/google/pprof
void write_pprof(const trace_info& info, std::span<const exported_stack> stacks, const address_names& names,
                 std::ostream& out, block_filter filter = block_filter::all);

/// The heading of the events as CSV, and a line for each; in a sampled trace an allocation has its weight too.
void write_event_heading(const trace_info& info, std::ostream& out);
void write_events(const trace_info& info, std::span<const event> events, std::ostream& out);

/// What each stack allocated: a heading and a line for each stack and call. The stacks have the numbers that the events have.
void write_stacks(const trace_info& info, std::span<const exported_stack> stacks, const address_names& names,
                  std::ostream& out);

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
