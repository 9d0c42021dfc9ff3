// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/Diagnostic.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace clang::tidy::linn {

/// Where the object lies that is filled.
enum class storage {
    pointer,   ///< on the heap, behind a pointer
    container, ///< the elements of a vector or string
    local,     ///< an array or object of the function
};

/// An expression that value-initialises an object on the heap, or fills the elements of a container, an array or an object.
struct creation {
    /// A CXXNewExpr or a CallExpr; of a container and a local what fills it.
    const Expr* expression = nullptr;
    storage where_it_lies = storage::pointer;
    const VarDecl* variable = nullptr; ///< a local, or a container that is declared and filled
    const Expr* container = nullptr;   ///< that an expression fills: `image.rows` of `image.rows.resize(n)`
    SourceLocation where{};            ///< of the function's name, or of the variable
    QualType object{};                 ///< T; of `T[]` and `T[N]` the element
    bool array = false;                ///< more than one object
    std::optional<std::uint64_t> count = 1; ///< of objects; none where only the run knows
    const Expr* count_expression = nullptr;
    std::string name{}; ///< as a reader knows it: `std::make_unique<line>()`
};

/// `make_shared<T>()` and its kin, of std, Boost and Linn.
std::optional<creation> creation_by_call(const CallExpr& call, ASTContext& context);

/// `vector<T> v(n)`, `string s(n, c)`; of arrays and objects of plain types `= {}`, `{}` and `= {0}`.
std::optional<creation> creation_by_variable(const VarDecl& variable, ASTContext& context);

/// `v.resize(n)`, `v.assign(n, x)` of a vector or string of plain elements.
std::optional<creation> creation_by_resize(const CXXMemberCallExpr& call, ASTContext& context);

/// How a fill is avoided.
struct remedy {
    std::vector<FixItHint> edits{}; ///< none where nothing can be changed mechanically
    std::string advice{};           ///< what leaves the bytes alone
    std::string obstacle{};         ///< why there are no edits
};

/// The remedy for one creation, as if nothing relied on its zeros; `function` contains it, or is null.
remedy find_remedy(const creation& made, const FunctionDecl* function, ASTContext& context);

/// The same for what fills a container, an array or an object that its function overwrites.
remedy remedy_of_overwritten(const creation& made, const FunctionDecl& function, ASTContext& context);

} // namespace clang::tidy::linn
