// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../advise/advise.hpp"
#include "../advise/fills.hpp"
#include "../report/advise_table.hpp"
#include "../report/html/flame_tree.hpp"
#include "../symbols/symbolizer.hpp"
#include "command.hpp"
#include "report_files.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace linn::tool {

/// `linn advise`: which types of a recorded program need a pool, and what they would gain.
class advise_command final : public command {
public:
    explicit advise_command(CLI::App& program);

    int run() override;

private:
    advice ask();
    html::frames_of_stack frames_of_stacks();
    bool fails() const;

    advise_options options_;
    advise_view view_;
    std::string trace_;
    std::vector<std::string> debug_folders_;
    bool use_debuginfod_ = false;
    bool no_replay_ = false;
    double fail_over_percent_ = -1;
    unsigned replay_seconds_ = 20;
    std::unique_ptr<symbolizer> symbols_;
    advice result_;
    std::optional<fill_report> fills_; ///< of a trace that holds nothing else
    report_files files_;
};

} // namespace linn::tool
