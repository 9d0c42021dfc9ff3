// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results.hpp"

#include <optional>
#include <string>

namespace linn::tool {

/// The findings on scenarios that Linn wins and on those that it loses. Nothing is claimed that `judge` does not. @pre `judge` has run
bench_findings findings(const bench_result& result);

/// A warning where too many samples were taken while something else used the machine; otherwise empty.
std::string disturbance(const bench_result& result);

/// Nothing where the scenario `headline` was not measured. Nothing within the noise is claimed, and nothing at all from fewer
/// than `rounds_to_judge` rounds. @pre `judge` has run
std::optional<headline_result> headline(const bench_result& result);

} // namespace linn::tool
