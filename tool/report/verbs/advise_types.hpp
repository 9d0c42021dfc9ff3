// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../advise/advice.hpp"
#include "../document/document.hpp"

namespace linn::tool::report {

/// Adds the types of the program for a page, each with what to do, why, and where, folded away below its row. Types that take
/// little time share the last row, and a table that can be unfolded.
void add_page_of_types(section& to, const advice& a);

} // namespace linn::tool::report
