// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../report/trace_export/trace_export.hpp"
#include "../trace/reader.hpp"
#include "../trace/trace_counts.hpp"
#include "command.hpp"
#include "report_files.hpp"
#include "trace_viewing.hpp"

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace linn::tool {

/// The command `trace`: what a trace holds, whether it is whole, and the same in other forms.
class trace_command final : public command {
public:
    /// Adds the command to the program's arguments.
    explicit trace_command(CLI::App& program);

    /// 0; 1: damaged, with --check, or something could not be written; 2: no trace, or wrong arguments.
    int run() override;

private:
    std::string check();
    /// Reads everything: counts, what there is to know of the file, and where names are wanted what was allocated. Returns why
    /// the trace does not tell what is asked for; empty: it does.
    std::string read_all(trace_reader& trace, bool wants_names);
    std::string json() const;
    report::document document() const;
    int summarise(trace_reader& trace);
    int check_file(trace_reader& trace);
    int convert(trace_reader& trace);
    int redact();

    report_files files_;
    trace_viewing viewing_;
    std::string path_;
    std::string format_;
    std::string output_ = "-";
    std::string redacted_; ///< the file for --redact
    std::string weight_ = "bytes";
    std::optional<export_format> export_format_;
    bool checks_ = false;
    trace_info info_;
    trace_counts counts_;
};

} // namespace linn::tool
