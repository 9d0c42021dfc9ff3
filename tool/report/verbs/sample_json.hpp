// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../trace/sample_weight.hpp"

#include <nlohmann/json.hpp>

namespace linn::tool {

/// Of a sampled trace: how many blocks an estimate comes from, and the 95 % interval of the bytes. Null where all were recorded.
nlohmann::ordered_json sample_json(const sample_spread& spread, double bytes);

} // namespace linn::tool
