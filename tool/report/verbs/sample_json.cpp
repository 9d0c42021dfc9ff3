// SPDX-License-Identifier: Apache-2.0
#include "sample_json.hpp"

namespace linn::tool {

using nlohmann::ordered_json;

ordered_json sample_json(const sample_spread& spread, double bytes) {
    if (spread.blocks == 0) {
        return {};
    }
    const sample_bounds b = bounds_of_sample(bytes, spread);
    return {{"blocks", spread.blocks}, {"bytes_low", b.low}, {"bytes_high", b.high}};
}

} // namespace linn::tool
