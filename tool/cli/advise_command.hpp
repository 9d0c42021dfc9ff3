// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../advise/advise.hpp"
#include "../advise/fills.hpp"
#include "../report/plots/flame_tree.hpp"
#include "../report/progress.hpp"
#include "../report/verbs/advise_document.hpp"
#include "../try/trial.hpp"
#include "command.hpp"
#include "report_files.hpp"
#include "run_arguments.hpp"
#include "symbol_source.hpp"

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
    std::string check();
    std::string check_try();
    advice ask();
    void try_types(advice& a, progress_line& line);
    int status() const;
    html::frames_of_stack frames_of_stacks();
    bool fails() const;

    advise_options options_;
    report::advise_view view_;
    std::string trace_;
    symbol_source source_{verb()};
    bool no_replay_ = false;
    double fail_over_percent_ = -1;
    unsigned replay_seconds_ = 20;
    symbolizer* symbols_ = nullptr; ///< of source_
    advice result_;
    std::optional<fill_report> fills_; ///< of a trace that holds nothing else
    run_options trial_options_;
    run_arguments measuring_{verb(), trial_options_, trial_defaults};
    bool is_tried_ = false;
    std::vector<std::string> words_; ///< the program of --try and what belongs to it
    std::vector<std::string> options_of_try_;
    try_result trial_;
    report_files files_;
};

} // namespace linn::tool
