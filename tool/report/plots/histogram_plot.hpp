// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../document/markup.hpp"
#include "figure.hpp"
#include "linear_axis.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace linn::tool::html {

/// How often values of each power of two were seen: [i] those from 2^i up to 2^(i+1), [0] also those below 1.
struct histogram_plot {
    std::string title;
    unit what = unit::bytes;
    std::span<const std::uint64_t> counts;
};

/// The bars, from the first that is not empty to the last, or nothing where all are.
markup draw(id_source& ids, const histogram_plot& plot);

} // namespace linn::tool::html
