// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace linn::tool::probe {

/// The version that the preloaded library tells of itself by the functions known for that; without a library, the C
/// library's. Empty when it tells none.
std::string library_version(const std::string& library);

} // namespace linn::tool::probe
