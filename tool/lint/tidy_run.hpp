// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/interrupt.hpp"
#include "../measure/progress.hpp"
#include "selection.hpp"
#include "tidy_program.hpp"
#include "tidy_report.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace linn::tool {

/// What the checks are told.
struct check_options {
    std::uint64_t min_bytes = 64;
    bool fill = true;        ///< linn-zero-fill
    bool overwritten = true; ///< linn-overwritten-fill
    bool fill_return = true; ///< linn-zero-fill-return
};

/// What one translation unit gave.
struct unit_outcome {
    bool was_run = false; ///< false: a signal came before
    std::string failure;  ///< why it could not be checked, or not wholly; empty when it could
    std::vector<tidy_diagnostic> diagnostics;
    double seconds = 0;
};

/// Runs clang-tidy for every unit, `jobs` at a time. Ends early, with the children, when `guard` has a signal pending. The
/// outcomes stand in the order of the units. @pre jobs >= 1
std::vector<unit_outcome> run_tidy(const tidy_program& program, const std::vector<lint_unit>& units,
                                   const check_options& options, unsigned jobs, const interrupt_guard& guard,
                                   const std::function<void(const work_progress&)>& on_progress);

} // namespace linn::tool
