// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../advise/advice.hpp"

#include <cstddef>
#include <string>

namespace linn::tool {

/// The verdict, the first `top` types with their changes, findings and warnings as GitHub's Markdown.
std::string advise_markdown(const advice& a, std::size_t top);

} // namespace linn::tool
