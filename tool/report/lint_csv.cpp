// SPDX-License-Identifier: Apache-2.0
#include "csv.hpp"
#include "lint_cells.hpp"
#include "lint_report.hpp"
#include "version.hpp"

namespace linn::tool {

std::string lint_csv(const lint_result& r) {
    std::string out =
        csv_line({"check", "bytes", "per_element", "after_a_change", "file", "line", "column", "what",
                  "members", "message", "fix", "units", "complete", "started", "version"});
    for (const lint_finding& f : r.findings)
        out += csv_line({f.check, f.fill.bytes, f.fill.per_element, f.fill.after_a_change, f.file,
                         std::uint64_t{f.place.line}, std::uint64_t{f.place.column}, f.fill.what,
                         members_text(f), f.message, to_string(f.state), f.units, r.signal == 0, r.started,
                         version_text()});
    return out;
}

} // namespace linn::tool
