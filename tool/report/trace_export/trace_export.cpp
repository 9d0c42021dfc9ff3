// SPDX-License-Identifier: Apache-2.0
#include "trace_export.hpp"

#include "collapsed.hpp"
#include "dhat.hpp"
#include "perfetto.hpp"
#include "pprof.hpp"
#include "runtime_leaks.hpp"
#include "stack_names.hpp"
#include "stack_tally.hpp"
#include "trace_csv.hpp"

#include <algorithm>
#include <ostream>

namespace linn::tool {

const std::vector<std::string>& export_format_names() {
    static const std::vector<std::string> names{"collapsed", "pprof", "dhat",
                                                "perfetto",  "csv",   "csv-stacks"};
    return names;
}

std::optional<export_format> export_format_of(std::string_view name) {
    const auto& names = export_format_names();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
        return std::nullopt;
    }
    return static_cast<export_format>(found - names.begin());
}

bool is_text(export_format format) noexcept {
    return format != export_format::pprof && format != export_format::perfetto;
}

bool takes_filter(export_format format) noexcept {
    return format == export_format::collapsed || format == export_format::pprof ||
           format == export_format::csv_stacks;
}

void export_trace(trace_reader& trace, symbolizer& symbols, const export_options& options,
                  std::ostream& out) {
    if (options.format == export_format::csv) {
        write_event_heading(trace.info(), out);
        trace.read([&](std::span<const event> events) { write_events(trace.info(), events, out); },
                   options.progress);
        return;
    }
    stack_tally tally{sample_weight{trace.info().sample_bytes}, options.temporary};
    std::uint64_t last = 0;
    trace.read(
        [&](std::span<const event> events) {
            tally.take(events);
            if (!events.empty()) {
                last = std::max(last, events.back().time);
            }
        },
        options.progress);
    const trace_info& info = trace.info();
    tally.finish(std::max(last, info.duration_ns));
    const address_names names = names_by(info, symbols);
    if (options.filter == block_filter::leaks && !options.keeps_runtime) {
        leave_out_runtime(info, names, tally);
    }
    switch (options.format) {
    case export_format::collapsed:
        write_collapsed(info, tally, names, options.weight, out, options.filter);
        break;
    case export_format::pprof:
        write_pprof(info, tally, names, out, options.filter);
        break;
    case export_format::dhat:
        write_dhat(info, tally, names, out);
        break;
    case export_format::perfetto:
        write_perfetto(info, tally, names, out);
        break;
    case export_format::csv_stacks:
        write_stacks(info, tally, names, out, options.filter);
        break;
    case export_format::csv:
        break; // above
    }
}

} // namespace linn::tool
