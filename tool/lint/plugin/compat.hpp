// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TOOL_LINT_PLUGIN_COMPAT_HPP
#define LINN_TOOL_LINT_PLUGIN_COMPAT_HPP

#include "clang-tidy/ClangTidyCheck.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/Version.h"

#include <charconv>
#include <cstdint>
#include <string>

/// @file
/// What differs between clang 16 and 19, and between the compilers that build the plugin.

static_assert(CLANG_VERSION_MAJOR >= 16 && CLANG_VERSION_MAJOR <= 19, "written for clang 16 to 19");

namespace linn_tidy {

/// `new T{...}`. Clang 18 turned the enum into a class of another name.
inline bool initialised_with_braces(const clang::CXXNewExpr& expression) {
#if CLANG_VERSION_MAJOR >= 18
    return expression.getInitializationStyle() == clang::CXXNewInitializationStyle::Braces;
#else
    return expression.hasInitializer() && expression.getInitializationStyle() == clang::CXXNewExpr::ListInit;
#endif
}

/// `new T(...)`.
inline bool initialised_with_parentheses(const clang::CXXNewExpr& expression) {
#if CLANG_VERSION_MAJOR >= 18
    return expression.getInitializationStyle() == clang::CXXNewInitializationStyle::Parens;
#else
    return expression.hasInitializer() && expression.getInitializationStyle() == clang::CXXNewExpr::CallInit;
#endif
}

/// A number among the options of a check. The templates of OptionsView mangle differently under GCC and
/// Clang, so a plugin built by GCC would not load: strings only.
inline std::uint64_t number_option(const clang::tidy::ClangTidyCheck::OptionsView& options,
                                   llvm::StringRef name, std::uint64_t otherwise) {
    const std::string text = options.get(name, llvm::StringRef()).str();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? value : otherwise;
}

inline void store_number(const clang::tidy::ClangTidyCheck::OptionsView& options,
                         clang::tidy::ClangTidyOptions::OptionMap& map, llvm::StringRef name,
                         std::uint64_t value) {
    const std::string text = std::to_string(value);
    options.store(map, name, llvm::StringRef(text));
}

} // namespace linn_tidy

#endif
