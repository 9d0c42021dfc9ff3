// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "advice.hpp"
#include "snippet.hpp"

#include <string>

namespace linn::tool {

/// The change that gives a class of the user's a pool, at its declaration as the debug information has it. Empty: the class is
/// not the user's, or its declaration cannot be read.
std::string class_snippet(const advised_type& type, const source_reader& sources);

} // namespace linn::tool
