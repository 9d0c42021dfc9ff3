// SPDX-License-Identifier: Apache-2.0
#pragma once

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
    csv,       ///< a line an event
    csv_stacks ///< a line a stack
};

/// The names that `--convert` takes, in the order of the enumeration: "collapsed", "pprof", "dhat", "csv", "csv-stacks".
const std::vector<std::string>& export_format_names();

/// The format of a name; nothing where it is none.
std::optional<export_format> export_format_of(std::string_view name);

/// What a collapsed stack weighs.
enum class export_weight { bytes, allocations };

struct export_options {
    export_format format = export_format::collapsed;
    export_weight weight = export_weight::bytes; ///< of collapsed stacks; the other formats hold both
    std::function<bool(double)> progress = {};   ///< as trace_reader::read wants it
};

/// Reads the whole trace and writes it in another form. Memory: in proportion to the live blocks and the distinct
/// stacks; of the events as CSV, neither. Whether everything was written is the stream's state. Throws what the reader
/// throws.
void export_trace(trace_reader& trace, symbolizer& symbols, const export_options& options, std::ostream& out);

} // namespace linn::tool
