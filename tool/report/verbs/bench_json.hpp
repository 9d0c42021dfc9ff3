// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../bench/results.hpp"

#include <string>

namespace linn::tool {

/// The run in the schema "linn.bench/2" (docs/reference/bench-json.md), ended by a newline.
std::string bench_json(const bench_result& result);

} // namespace linn::tool
