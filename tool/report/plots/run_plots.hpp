// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../run/results.hpp"
#include "figure.hpp"

#include <string_view>

namespace linn::tool::html {

/// How a row's verdict on a metric looks: better and worse as judged, the control muted.
emphasis style_of(const run_row& row, std::string_view metric);

/// Every run as a dot: one metric by the default's in the same round, as a ratio or in percent of change.
markup metric_plot(id_source& ids, const run_result& result, const metric_info& m,
                   bool shows_changes = false);

/// The compared metrics but for the one that is shown elsewhere, panels side by side.
markup other_metrics_plot(id_source& ids, const run_result& result, const metric_info& shown);

} // namespace linn::tool::html
