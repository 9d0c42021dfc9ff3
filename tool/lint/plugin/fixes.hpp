// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clang/Basic/Diagnostic.h"
#include "creation.hpp"

#include <string>
#include <vector>

namespace clang::tidy::linn {

/// How a fill is avoided.
struct remedy {
    std::vector<FixItHint> edits{}; ///< none where nothing can be changed mechanically
    std::string advice{};           ///< what leaves the bytes alone
    std::string obstacle{};         ///< why there are no edits
};

/// The remedy for one creation, as if nothing relied on its zeros; `function` contains it, or is null.
remedy find_remedy(const creation& made, const FunctionDecl* function, ASTContext& context);

/// The same for what fills a container, an array or an object that its function overwrites.
remedy remedy_of_overwritten(const creation& made, const FunctionDecl& function, ASTContext& context);

} // namespace clang::tidy::linn
