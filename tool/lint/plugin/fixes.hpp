// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TOOL_LINT_PLUGIN_FIXES_HPP
#define LINN_TOOL_LINT_PLUGIN_FIXES_HPP

#include "clang/Basic/Diagnostic.h"
#include "creation.hpp"

#include <string>
#include <vector>

namespace linn_tidy {

/// How a fill is avoided. Without `edits` there is nothing to change mechanically, and `advice` says
/// what a person would do.
struct remedy {
    std::vector<clang::FixItHint> edits{};
    std::string advice{};
};

/// The mend for one creation, as if nobody relied on its zeros.
remedy find_remedy(const creation& made, clang::ASTContext& context);

} // namespace linn_tidy

#endif
