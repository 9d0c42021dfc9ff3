// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TOOL_LINT_PLUGIN_FIXES_HPP
#define LINN_TOOL_LINT_PLUGIN_FIXES_HPP

#include "clang/Basic/Diagnostic.h"
#include "creation.hpp"

#include <string>
#include <vector>

namespace linn_tidy {

/// How a fill is avoided.
struct remedy {
    std::vector<clang::FixItHint> edits{}; ///< none where nothing can be changed mechanically
    std::string advice{};                  ///< what leaves the bytes alone
    std::string obstacle{};                ///< why there are no edits
};

/// The mend for one creation, as if nobody relied on its zeros.
remedy find_remedy(const creation& made, clang::ASTContext& context);

} // namespace linn_tidy

#endif
