// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace linn::tool {

/// Where a file that belongs to the tool lies (a helper program, a preload library, a build script): next to the
/// program, as in a build tree, or in `../libexec/linn`, as installed. Where it is in neither, the path next to the
/// program, for the message of the code that opens it.
std::filesystem::path companion(std::string_view name);

/// Likewise for a library that will be preloaded into a program. `problem` says what makes that impossible.
std::filesystem::path preload_companion(std::string_view name, std::string& problem);

} // namespace linn::tool
