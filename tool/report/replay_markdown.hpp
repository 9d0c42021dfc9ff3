// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../replay/results.hpp"

#include <string>

namespace linn::tool {

/// The result for a comment or a page in Markdown.
std::string replay_markdown(const replay_result& result);

} // namespace linn::tool
