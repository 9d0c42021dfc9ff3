// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../compare/compare_files.hpp"
#include "command.hpp"
#include "compare_traces.hpp"
#include "report_files.hpp"

#include <optional>
#include <string>
#include <vector>

namespace linn::tool {

/// The command `compare`: two results of one schema, or two traces, for a person or for continuous integration.
class compare_command final : public command {
public:
    /// Adds the command to the program's arguments.
    explicit compare_command(CLI::App& program);

    /// 0: nothing that --fail-on names; 1: something; 2: the files cannot be compared, or a report cannot be written.
    int run() override;

private:
    std::string read_files(result_file& old_file, result_file& new_file) const;
    std::string check_names(const result_file& old_file, const result_file& new_file) const;
    bool fails() const;
    std::string check_kind() const;
    std::string json() const;
    report::document document() const;
    void set_options();
    int compare_pair();
    int compare_results();
    int compare_traces();

    bool are_traces_ = false;
    trace_comparing traces_;
    report_files files_;
    file_comparison result_;
    compare_options options_;
    std::string old_path_;
    std::string new_path_;
    std::optional<double> threshold_percent_;
    std::string by_ = "auto";
    std::string fail_on_ = "regression";
};

} // namespace linn::tool
