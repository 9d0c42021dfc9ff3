// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace linn::tool {

/// Writes the text to a file that appears whole or not at all: to a temporary name next to it, then
/// renamed. What is no regular file (a pipe, /dev/stdout) is written to as it is.
/// Returns an empty string, or what went wrong.
std::string write_atomically(const std::string& path, const std::string& text);

} // namespace linn::tool
