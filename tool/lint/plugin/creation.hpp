// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "fill_size.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace clang::tidy::linn {

/// An expression that value-initialises an object on the heap.
struct creation {
    const Expr* expression = nullptr;       ///< a CXXNewExpr or a CallExpr
    SourceLocation where{};                 ///< of `new`, or of the function's name
    QualType object{};                      ///< T; of `T[]` and `T[N]` the element
    bool array = false;                     ///< more than one object
    std::optional<std::uint64_t> count = 1; ///< of objects; none where only the run knows
    const Expr* count_expression = nullptr;
    value_form form = value_form::parentheses;
    std::string name{}; ///< as a reader knows it: `std::make_unique<line>()`
};

/// `new T()`, `new T{}`, `new T[n]()`, `new T[n]{}`, also with a placement.
std::optional<creation> creation_by_new(const CXXNewExpr& expression, ASTContext& context);

/// `make_shared<T>()` and its kin, of std, Boost and Linn, and `create()` of Linn's pools.
std::optional<creation> creation_by_call(const CallExpr& call, ASTContext& context);

} // namespace clang::tidy::linn
