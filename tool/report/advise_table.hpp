// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../advise/advice.hpp"
#include "terminal.hpp"

#include <cstddef>
#include <string>

namespace linn::tool {

struct advise_view {
    std::size_t top = 10;  ///< types in the table
    std::string only_type; ///< details of the types whose name holds this; empty: of the first few
};

/// The whole report of `linn advise` as text for a person, the verdict first.
std::string advise_report(const advice& a, const advise_view& view, const output_style& style);

} // namespace linn::tool
