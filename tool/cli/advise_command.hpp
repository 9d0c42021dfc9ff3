// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../advise/advise.hpp"
#include "../advise/fills.hpp"
#include "../report/commands/advise_report.hpp"
#include "../report/plots/flame_plot.hpp"
#include "command.hpp"
#include "report_files.hpp"
#include "symbol_source.hpp"

#include <optional>
#include <string>

namespace linn::tool {

/// `linn advise`: which types of a recorded program need a pool.
class advise_command final : public command {
public:
    explicit advise_command(CLI::App& program);

    int run() override;

private:
    advice ask();
    html::frames_of_stack frames_of_stacks();
    bool fails() const;

    advise_options options_;
    report::advise_view view_;
    std::string trace_;
    symbol_source source_{app()};
    double threshold_percent_ = worth_a_pool * 100;
    double fail_over_percent_ = -1;
    symbolizer* symbols_ = nullptr; ///< of source_
    advice result_;
    std::optional<fill_report> fills_; ///< of a trace that holds nothing else
    report_files files_;
};

} // namespace linn::tool
