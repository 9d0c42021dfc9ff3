// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"

#include <initializer_list>
#include <string>

namespace clang::tidy::linn {

/// The name of the outermost namespace around a declaration, "" for the global one.
std::string outermost_namespace(const Decl& declaration);

/// Whether a declaration, which may be null, has one of these names.
bool named(const NamedDecl* declaration, std::initializer_list<const char*> names);

bool is_std_array(const CXXRecordDecl* record);

/// A pointer class of the standard library or Boost, by its name.
bool is_smart_pointer(QualType type);

/// As a reader writes it: without `struct`.
std::string type_name(QualType type, const ASTContext& context);

} // namespace clang::tidy::linn
