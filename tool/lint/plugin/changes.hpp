// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"

#include <optional>
#include <string>
#include <vector>

namespace clang::tidy::linn {

/// What happens to a variable, or to a part of one.
struct change {
    enum class kind { add, subtract, assign, other };

    std::string key{}; ///< see `key_of`
    kind how = kind::other;
    const Expr* amount = nullptr; ///< that is added, subtracted or assigned; null where it is `number`
    std::int64_t number = 1;
    const Stmt* at = nullptr;
};

/// What stands for the number of elements of a container, behind its key.
constexpr const char* size_suffix = ".#";

/// A name for what an lvalue denotes, the same for all mentions of it: a variable, a member of this, `image.rows`, `p->n`.
/// Empty where there is none. A local reference has the name of what it refers to.
std::string key_of(const Expr* lvalue, const ASTContext& context);
std::string key_of(const ValueDecl& declaration);
/// Of a container that is named by itself or by a pointer to it.
std::string container_key(const Expr* object, const ASTContext& context);

/// A class of the standard library whose elements lie in a row: vector, array, basic_string, span.
const CXXRecordDecl* contiguous_container(QualType type);

/// Type of the elements of a contiguous container, a smart pointer to an array, a pointer, an iterator or an array; null where it is
/// not known.
QualType element_type(QualType type, const ASTContext& context);

/// The bytes from one value of a pointer or iterator to the next; 1 of whole numbers; none of other types.
std::optional<std::int64_t> unit_of(QualType type, const ASTContext& context);

/// All that a function does to variables, besides their declarations.
class changes {
public:
    changes(const FunctionDecl& function, ASTContext& context);

    /// What is done to the value behind a key, or to what it is a part of.
    std::vector<const change*> of(const std::string& key) const;

private:
    void look_at(const Stmt* statement);
    void arguments(const Stmt& call);
    void method(const CXXMemberCallExpr& call);
    void add(const std::string& key, change::kind how, const Stmt& at, const Expr* amount = nullptr,
             std::int64_t number = 1);

    ASTContext& context_;
    std::vector<change> all_{};
};

} // namespace clang::tidy::linn
