// SPDX-License-Identifier: Apache-2.0
#include "trace_export.hpp"

#include "collapsed.hpp"
#include "exported_stacks.hpp"
#include "pprof.hpp"
#include "trace_csv.hpp"

#include <algorithm>
#include <ostream>

namespace linn::tool {

const std::vector<std::string>& export_format_names() {
    static const std::vector<std::string> names{"collapsed", "pprof", "csv", "csv-stacks"};
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

void export_stacks(const trace_profile& profile, symbolizer& symbols, const export_options& options,
                   std::ostream& out) {
    const trace_info& info = profile.analysis.info;
    const std::vector<exported_stack> stacks =
        exported_stacks(profile, options.filter, options.keeps_runtime);
    const address_names names = names_by(info, symbols);
    switch (options.format) {
    case export_format::collapsed:
        write_collapsed(info, stacks, names, options.weight, out);
        break;
    case export_format::pprof:
        write_pprof(info, stacks, names, out, options.filter);
        break;
    case export_format::csv_stacks:
        write_stacks(info, stacks, names, out);
        break;
    case export_format::csv:
        break; // export_events() writes it
    }
}

void export_events(trace_reader& trace, const std::function<bool(double)>& progress, std::ostream& out) {
    write_event_heading(trace.info(), out);
    trace.read([&](std::span<const event> events) { write_events(trace.info(), events, out); }, progress);
}

} // namespace linn::tool
