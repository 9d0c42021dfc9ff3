// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clang/AST/ASTContext.h"
#include "creation.hpp"

#include <vector>

namespace clang::tidy::linn {

/// What becomes of the zeros in the function that asked for them.
enum class fate {
    unread,  ///< all of it is overwritten first, or nothing reads it
    escapes, ///< nothing reads them here; a function that gets the object may
    read,    ///< something here may read a filled element before it is written
};

struct object_fate {
    fate outcome = fate::escapes;
    std::vector<const Stmt*> writers{}; ///< the statements that overwrite all of it
    bool handed_out = false;            ///< a function gets a pointer to it through which it may write
    bool is_held = false;               ///< a variable or member holds it
    bool is_in_loop = false;            ///< a loop of the function creates it again and again
    bool repeats_zeros = false;         ///< `memset` writes zeros over zeros
};

/// Follows an array, a container's elements or a local object through the function that creates it: whether the function overwrites
/// all of it, by a call or by a loop over the same bound, before something reads it. Looks into lambdas and into functions of the
/// same file that get the object.
object_fate follow(const FunctionDecl& function, const creation& made, ASTContext& context);

} // namespace clang::tidy::linn
