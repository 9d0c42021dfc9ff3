// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/Version.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

static_assert(CLANG_VERSION_MAJOR >= 16 && CLANG_VERSION_MAJOR <= 19, "written for clang 16 to 19");

namespace clang::tidy::linn {

/// The name of the outermost namespace around a declaration, "" for the global one.
std::string outermost_namespace(const Decl& declaration);

/// Whether a declaration, which may be null, has one of these names.
bool named(const NamedDecl* declaration, std::initializer_list<const char*> names);

bool is_std_array(const CXXRecordDecl* record);

/// A pointer class of the standard library or Boost, by its name.
bool is_smart_pointer(QualType type);

/// In bytes.
std::uint64_t size_of(QualType type, const ASTContext& context);

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

/// A member that default-initialisation leaves alone and value-initialisation fills.
struct filled_member {
    const FieldDecl* field = nullptr;
    std::uint64_t bytes = 0;
};

/// Bytes that value-initialisation writes and default-initialisation does not. Of an array, of all elements.
/// `docs/design/lint.md` has the rules; where a constructor's body is unknown or does more than can be followed, it counts as
/// writing its whole object, so that the result errs towards silence. @pre the type is complete and not dependent
std::uint64_t filled_bytes(QualType type, ASTContext& context);

/// The members behind `filled_bytes`, largest first, those of base classes too; none where the type is no class.
std::vector<filled_member> filled_members(QualType type, ASTContext& context);

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

/// What becomes of the zeros in the function that asked for them.
enum class fate {
    unread,  ///< all of it is overwritten first, or nothing reads it
    escapes, ///< nothing reads them here; a function that gets the object may
    read,    ///< something here may read a filled element before it is written
};

struct object_fate {
    fate outcome = fate::escapes;
    std::vector<const Stmt*> writers{}; ///< the statements that overwrite all of it
    bool handed_out = false;            ///< a function gets a pointer to it through which it may write
    bool shows_padding = false;         ///< written by members only, and a function gets all of it
    bool is_held = false;               ///< a variable or member holds it
    bool is_in_loop = false;            ///< a loop of the function creates it again and again
    bool repeats_zeros = false;         ///< `memset` writes zeros over zeros
};

/// Follows an array, a container's elements or a local object through the function that creates it: whether the function overwrites
/// all of it, by a call or by a loop over the same bound, before something reads it. Looks into lambdas and into functions of the
/// same file that get the object.
object_fate follow(const FunctionDecl& function, const creation& made, ASTContext& context);

} // namespace clang::tidy::linn
