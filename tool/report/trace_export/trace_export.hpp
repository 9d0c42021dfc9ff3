// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../analysis/trace_analysis.hpp"
#include "../../profile/block_filter.hpp"
#include "../../symbols/symbolizer.hpp"
#include "../../trace/reader.hpp"

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// What a trace can become, for programs of others (docs/guide/convert.md).
enum class export_format {
    collapsed, ///< a line a stack, with its weight: flamegraph.pl, speedscope, inferno
    pprof,     ///< profile.proto, compressed
    dhat,      ///< DHAT's JSON, for dh_view.html
    perfetto,  ///< a trace with heap profiles, for ui.perfetto.dev
    csv,       ///< a line an event
    csv_stacks ///< a line a stack
};

/// The names that `--convert` takes, in the order of the enumeration: "collapsed", "pprof", "dhat", "perfetto",
/// "csv", "csv-stacks".
const std::vector<std::string>& export_format_names();

/// Whether a terminal can show it.
bool is_text(export_format format) noexcept;

/// The format of a name; nothing where it is none.
std::optional<export_format> export_format_of(std::string_view name);

/// Whether a format can hold some of the blocks alone. The others have all of them, or each event.
bool takes_filter(export_format format) noexcept;

/// What a collapsed stack weighs.
enum class export_weight { bytes, allocations };

struct export_options {
    export_format format = export_format::collapsed;
    export_weight weight = export_weight::bytes; ///< of collapsed stacks; the other formats hold both
    block_filter filter = block_filter::all;     ///< where takes_filter() says so: which blocks are counted
    temporary_rule temporary = {};
    bool keeps_runtime = false; ///< with the filter `leaks`: also what the runtime libraries keep on purpose
    std::function<bool(double)> progress = {}; ///< as trace_reader::read wants it
};

/// Reads the whole trace and writes it in another form. Memory: in proportion to the live blocks and the distinct
/// stacks; of the events as CSV, neither. Whether everything was written is the stream's state. Throws what the reader
/// throws.
void export_trace(trace_reader& trace, symbolizer& symbols, const export_options& options, std::ostream& out);

} // namespace linn::tool
