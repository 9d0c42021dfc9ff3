// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "llvm/ADT/StringRef.h"

namespace clang::tidy::linn {

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
const known_function_facts* facts_about(StringRef name);

} // namespace clang::tidy::linn
