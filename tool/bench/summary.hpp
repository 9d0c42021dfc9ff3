// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// A paragraph, on one scenario or on all of them.
struct finding {
    std::string text;                ///< without the scenario's name
    const scenario* about = nullptr; ///< null: on all

    /// "object: ..."; of all scenarios the text alone.
    std::string sentence() const;
};

/// What a reader should take away.
struct bench_findings {
    std::vector<finding>
        list; ///< never empty: the verdict of the headline where that was measured, then one on each other scenario
    std::string reliability; ///< how far to trust the headline, or a warning of disturbance(); may be empty

    /// All of it, `reliability` last.
    std::vector<std::string> sentences() const;
};

/// The findings on scenarios that Linn wins and on those that it loses. Nothing is claimed that `judge` does not. @pre `judge` has run
bench_findings findings(const bench_result& result);

/// A warning where too many samples were taken while something else used the machine; otherwise empty.
std::string disturbance(const bench_result& result);

} // namespace linn::tool
