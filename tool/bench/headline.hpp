// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace linn::tool {

/// One test of the headline: Linn and the best of the others.
struct headline_test {
    const phase_info* what = nullptr;
    double ours_ns = 0;
    double other_ns = 0;
    std::string other; ///< the title of the best other contender
    double speed_up = 0;
    outcome says = outcome::not_judged;

    /// "1.8 x faster", "1.6 x SLOWER", "tie", "no zero fill"; "-" where nothing is judged.
    std::string result() const;
};

/// A general allocator over all tests.
struct ranked_allocator {
    std::string title;
    double speed = 1; ///< glibc's time by its, the geometric mean: above 1 it is faster
};

/// What the scenario `headline` says. Every sentence, the table and the plot that show it are made of this.
struct headline_result {
    std::vector<headline_test> tests;
    std::size_t wins = 0;
    std::size_t losses = 0;
    std::size_t ties = 0;
    std::vector<ranked_allocator>
        ranking; ///< fastest first, glibc among them; without glibc's second copy and its settings
    std::vector<std::string> unmeasured; ///< names of general allocators that are not here or failed

    std::vector<std::string> verdict; ///< three sentences at most, each fit for a line of 100 characters
    bool is_trusted = false;
    std::string trust; ///< "good: 8 rounds, ..." or "LOW. The machine was busy: ..."
};

/// Nothing where the scenario `headline` was not measured. Nothing within the noise is claimed, and nothing at all from fewer
/// than `rounds_to_judge` rounds. @pre `judge` has run
std::optional<headline_result> headline(const bench_result& result);

} // namespace linn::tool
