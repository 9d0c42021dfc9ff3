// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "advice.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace linn::tool {

/// The lines of a source file; nothing where it cannot be read.
using source_reader = std::function<std::optional<std::vector<std::string>>(const std::string& file)>;

/// Reads from the disk; what is over 4 MiB, or no regular file, is not read.
source_reader read_sources();

/// The change that a remedy asks for, as lines that begin with "-" and "+", with the user's own line where the file can be
/// read and has one that fits; else a form to fill in. Empty where there is nothing to show.
std::string snippet_for(const advised_type& type, const source_reader& sources);

/// The change that gives a class of the user's a pool, at its declaration as the debug information has it. Empty: the class is
/// not the user's, or its declaration cannot be read.
std::string class_snippet(const advised_type& type, const source_reader& sources);

} // namespace linn::tool
