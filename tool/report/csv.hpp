// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "render/csv.hpp"

namespace linn::tool {

using csv_field = report::datum;
using report::csv_line;

} // namespace linn::tool
