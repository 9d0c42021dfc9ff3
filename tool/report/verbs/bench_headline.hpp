// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../bench/headline.hpp"
#include "../document/document.hpp"

namespace linn::tool::report {

/// Every test of the headline, with what is said of all of them together: fifteen lines of at most 100 characters.
table headline_table(const headline_result& h);

/// Makes the headline the beginning of the document: the verdict, how far to trust it, and the table.
void begin_with_headline(document& d, const headline_result& h);

/// What a reader may do next.
code next_commands();

} // namespace linn::tool::report
