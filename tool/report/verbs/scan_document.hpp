// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../run/scan.hpp"
#include "../document/document.hpp"

namespace linn::tool::report {

/// A program under every allocator, for every value of its parameters. `scan` must outlive the document.
document scan_document(const scan_result& scan);

} // namespace linn::tool::report
