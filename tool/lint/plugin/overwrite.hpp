// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clang/AST/ASTContext.h"
#include "creation.hpp"
#include "fill_size.hpp"

#include <vector>

namespace clang::tidy::linn {

/// What becomes of the zeros in the function that asked for them.
enum class fate {
    unread,  ///< on every path each filled byte is overwritten first, or nothing reads it
    escapes, ///< nothing reads them here; a function that gets the object may
    read,    ///< something here reads a filled byte before it is written
};

struct early_read {
    const FieldDecl* member = nullptr; ///< the outermost; none where the whole object is read
    SourceLocation where{};
};

struct object_fate {
    fate outcome = fate::escapes;
    std::vector<early_read> reads{};
    std::vector<const Stmt*> writers{}; ///< the statements that overwrite all of it
    bool uncertain = false;             ///< a function looks at it, and the check cannot tell at which part
    bool handed_out = false;            ///< a function gets a pointer to it through which it may write
    bool is_held = false;               ///< a variable or member holds it
    bool is_in_loop = false;            ///< a loop of the function creates it again and again
    bool repeats_zeros = false;         ///< `memset` writes zeros over zeros
};

/// Follows an object through the function that creates it, statement by statement: whether the function overwrites all of it, by
/// calls and by loops over the same bound, before something reads it. `members` are the filled members of a class; where there are
/// none, all bytes are meant. Looks into lambdas and into functions of the same file that get the object.
object_fate follow(const FunctionDecl& function, const creation& made,
                   const std::vector<filled_member>& members, const fill_size& sizes, ASTContext& context);

} // namespace clang::tidy::linn
