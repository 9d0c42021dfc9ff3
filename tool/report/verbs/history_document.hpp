// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../compare/history.hpp"
#include "../document/document.hpp"

namespace linn::tool::report {

/// A line for each row over all results. `h` must outlive the document.
document history_document(const result_history& h);

} // namespace linn::tool::report
