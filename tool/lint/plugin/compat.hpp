// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clang/AST/ExprCXX.h"
#include "clang/Basic/Version.h"

/// @file
/// What differs between clang 16 and 19, and between the compilers that build the plugin.

static_assert(CLANG_VERSION_MAJOR >= 16 && CLANG_VERSION_MAJOR <= 19, "written for clang 16 to 19");

namespace clang::tidy::linn {

/// `new T{...}`. Clang 18 turned the enum into a class of another name.
inline bool initialised_with_braces(const CXXNewExpr& expression) {
#if CLANG_VERSION_MAJOR >= 18
    return expression.getInitializationStyle() == CXXNewInitializationStyle::Braces;
#else
    return expression.hasInitializer() && expression.getInitializationStyle() == CXXNewExpr::ListInit;
#endif
}

/// `new T(...)`.
inline bool initialised_with_parentheses(const CXXNewExpr& expression) {
#if CLANG_VERSION_MAJOR >= 18
    return expression.getInitializationStyle() == CXXNewInitializationStyle::Parens;
#else
    return expression.hasInitializer() && expression.getInitializationStyle() == CXXNewExpr::CallInit;
#endif
}

} // namespace clang::tidy::linn
