// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../lint/lint.hpp"
#include "../document/document.hpp"

#include <cstddef>
#include <string>

namespace linn::tool::report {

/// "11 places write 8.000 MiB of zeros for nothing, 3 more would write them after a change": the first sentence of every
/// report, without its full stop.
std::string lint_headline(const lint_result& result);

/// The places, files that could not be checked, and remarks. At most `top` places, all for 0.
document lint_document(const lint_result& result, std::size_t top);

} // namespace linn::tool::report
