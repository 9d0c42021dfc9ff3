// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clang/AST/ASTContext.h"
#include "creation.hpp"
#include "fill_size.hpp"

#include <vector>

namespace clang::tidy::linn {

/// What becomes of the zeros in the function that asked for them.
enum class fate {
    unread,  ///< on every way each filled member is written first, or the object goes unread
    escapes, ///< nothing reads them here; others who get the object may
    read,    ///< something here reads a filled byte before it is written
};

struct early_read {
    const FieldDecl* member = nullptr; ///< the outermost; none where the whole object is read
    SourceLocation where{};
};

struct value_flow {
    fate outcome = fate::escapes;
    std::vector<early_read> reads{};
    bool uncertain = false; ///< something looks at it, and what it sees is not known
    bool handed_out =
        false;            ///< a function gets a pointer to it that it may write through, or writes some of it
    bool is_held = false; ///< something in the function holds it
};

/// Follows the object through its function's control flow.
value_flow follow(const creation& made, const std::vector<filled_member>& members, fill_size& sizes,
                  ASTContext& context);

/// The same for a creation in a function that is known.
value_flow follow_in(const FunctionDecl& function, const creation& made,
                     const std::vector<filled_member>& members, fill_size& sizes, ASTContext& context);

/// The function, or the lambda's call operator, whose body or initialisers contain an expression; null
/// where there is none: an initialiser of a variable of a namespace, or of a member in its class.
const FunctionDecl* enclosing_function(const Expr& expression, ASTContext& context);

} // namespace clang::tidy::linn
