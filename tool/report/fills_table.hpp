// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../advise/fills.hpp"
#include "terminal.hpp"

#include <cstddef>
#include <string>

namespace linn::tool {

/// The zero fills of a run as text for a person, the verdict first. `top`: rows of the table.
std::string fills_table(const fill_report& report, std::size_t top, const output_style& style);

} // namespace linn::tool
