// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/Version.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

static_assert(CLANG_VERSION_MAJOR >= 16 && CLANG_VERSION_MAJOR <= 19, "written for clang 16 to 19");

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

/// The default constructor that a class declares or has implicitly; null where that is deleted, a template, or not yet
/// declared by the compiler.
const CXXConstructorDecl* default_constructor(const CXXRecordDecl& record);

/// The value of an expression, where it is known before the program runs.
std::optional<std::uint64_t> constant(const Expr* expression, const ASTContext& context);

/// The member that an expression names, where it is one of `*this`; null otherwise.
const FieldDecl* member_of_this(const Stmt& expression);

/// Whether something holds for a statement or for a part of it, however deep.
template <class Predicate>
bool any_part(const Stmt* statement, const Predicate& holds) {
    return statement != nullptr &&
           (holds(*statement) || std::any_of(statement->child_begin(), statement->child_end(),
                                             [&](const Stmt* child) { return any_part(child, holds); }));
}

/// A vector, array, string or view of the standard library; null for other types.
const CXXRecordDecl* contiguous_container(QualType type);

/// What a container, array, pointer or smart pointer holds or points to; null for other types.
QualType element_type(QualType type, const ASTContext& context);

} // namespace clang::tidy::linn
