// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../check/check.hpp"
#include "../document/document.hpp"

#include <string>

namespace linn::tool::report {

/// Which budgets are broken, by what, and the state of all. `r` must outlive the document.
document check_document(const check_result& r);

/// The schema "linn.check/1": docs/reference/check-json.md.
std::string check_json(const check_result& r);

} // namespace linn::tool::report
