// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace linn::tool::report {

/// How a row, a cell or a mark of a plot is set apart; always by weight or shape as well as by colour.
enum class emphasis {
    none,
    ours,  ///< Linn's own
    muted, ///< the control
    good,  ///< a verdict: better than the default
    bad,   ///< a verdict: worse
};

} // namespace linn::tool::report
