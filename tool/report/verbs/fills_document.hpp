// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../advise/fills.hpp"
#include "../document/document.hpp"

#include <cstddef>

namespace linn::tool::report {

/// The zero fills of a run, the verdict first. `top`: rows of the table.
document fills_document(const fill_report& report, std::size_t top);

} // namespace linn::tool::report
