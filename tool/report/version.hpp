// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linn/version.hpp>

#include <string>

namespace linn::tool {

/// The version of the tool, which is the library's: "0.3.0".
inline std::string version_text() {
    return std::to_string(LINN_VERSION_MAJOR) + '.' + std::to_string(LINN_VERSION_MINOR) + '.' +
           std::to_string(LINN_VERSION_PATCH);
}

} // namespace linn::tool
