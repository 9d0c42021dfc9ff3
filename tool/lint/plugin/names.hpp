// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TOOL_LINT_PLUGIN_NAMES_HPP
#define LINN_TOOL_LINT_PLUGIN_NAMES_HPP

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"

#include <initializer_list>
#include <string>

namespace linn_tidy {

/// The name of the outermost namespace around a declaration, "" for the global one.
std::string outermost_namespace(const clang::Decl& declaration);

/// Whether a declaration, which may be null, has one of these names.
bool named(const clang::NamedDecl* declaration, std::initializer_list<const char*> names);

bool is_std_array(const clang::CXXRecordDecl* record);

/// A pointer class of the standard library or Boost, by its name.
bool is_smart_pointer(clang::QualType type);

/// As a reader writes it: without `struct`.
std::string type_name(clang::QualType type, const clang::ASTContext& context);

} // namespace linn_tidy

#endif
