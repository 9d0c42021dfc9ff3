// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace linn::tool {

/// One timed phase: a column of the report.
struct phase_info {
    std::string_view name;  ///< stable, used in JSON
    std::string_view title; ///< column heading
};

/// A published row: the figures of the phases, 0 where nothing was published.
struct published_row {
    std::string_view
        contender; ///< the contender it stands beside; empty: another platform, printed below the table
    std::string_view source;
    std::span<const double> cycles;
};

/// A published measurement that the tool repeats.
struct scenario {
    std::string_view name;
    std::string_view summary;   ///< one line for the help text
    std::string_view operation; ///< what one figure counts: "operation", "pair"
    std::span<const phase_info> phases;
    std::span<const published_row> published;
    std::string_view published_remark; ///< what was published in words only; may be empty
};

/// Every scenario, in the order of the help text.
std::span<const scenario> scenarios() noexcept;

/// The scenario of that name, or null.
const scenario* find_scenario(std::string_view name) noexcept;

/// The published figures that stand beside a contender, or null.
const published_row* find_published(const scenario& s, std::string_view contender) noexcept;

} // namespace linn::tool
