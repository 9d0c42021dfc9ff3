// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../advise/advice.hpp"
#include "../document/document.hpp"

#include <cstddef>
#include <string>

namespace linn::tool::report {

/// What text shows of an advice; a page has everything.
struct advise_view {
    std::size_t top = 10;  ///< types in the table
    std::string only_type; ///< details of the types whose name holds this; empty: of the first few
};

/// The report of `linn advise`, the verdict first.
document advise_document(const advice& a, const advise_view& view);

/// A line for each type, for CSV.
data_table advise_data(const advice& a);

/// The advice as JSON, schema "linn.advise/2": docs/reference/advise-json.md.
std::string advise_json(const advice& a);

} // namespace linn::tool::report
