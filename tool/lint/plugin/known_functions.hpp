// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TOOL_LINT_PLUGIN_KNOWN_FUNCTIONS_HPP
#define LINN_TOOL_LINT_PLUGIN_KNOWN_FUNCTIONS_HPP

#include "llvm/ADT/StringRef.h"

namespace linn_tidy {

enum class amount_unit { bytes, elements, end };

/// What a function of the C or C++ library does to the memory that one of its arguments points to.
struct known_function_facts {
    const char* name;
    unsigned argument; ///< which one is meant
    bool reads;        ///< else it writes, from the start, and reads nothing
    unsigned amount;   ///< the argument that says how much; more than there are where none does
    amount_unit unit;
};

/// Null for a function that is not known.
const known_function_facts* facts_about(llvm::StringRef name);

} // namespace linn_tidy

#endif
