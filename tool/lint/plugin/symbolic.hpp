// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "changes.hpp"
#include "clang/AST/StmtCXX.h"
#include "polynomial.hpp"

#include <map>
#include <optional>
#include <string>

namespace clang::tidy::linn {

/// A loop that runs a number of times which is known before it starts.
struct counted_loop {
    polynomial extent{}; ///< how far its counter goes
    polynomial step{};   ///< in each turn; the turns are extent / step, rounded up
    std::string turn{};  ///< name of the number of the turn, from 0
};

/// What the expressions of one function are worth at their places, as polynomials over what is known by name only. The place
/// matters: `i` in a loop is its start and `turn` times its step. Pointers and iterators count in bytes.
///
/// Two values that are equal as polynomials are equal at run time, if sizes do not wrap around, casts keep values, and objects of
/// other types than numbers do not change while the function only looks at them.
class symbolic {
public:
    symbolic(const FunctionDecl& function, ASTContext& context);

    /// Of a number, a pointer or an iterator. What cannot be followed is a value of its own.
    polynomial value(const Expr* expression);
    /// Where an lvalue lies.
    polynomial address(const Expr* lvalue);
    /// Number of elements of a container at a place.
    polynomial size(const Expr* container);

    /// The name of the first byte of what a container or smart pointer holds, or of an array or object.
    static std::string start_of(const std::string& key) { return "start(" + key + ")"; }
    /// The name of what a new-expression returns.
    static std::string start_of(const CXXNewExpr& expression);

    /// None where it may end early or its turns cannot be counted.
    std::optional<counted_loop> counted(const Stmt* loop);
    /// Which turn of a loop runs.
    static std::string turn_of(const Stmt* loop);

    ASTContext& context() const { return context_; }

    /// What stands around a statement in its function; that of an initialiser is the declaration.
    const Stmt* around(const Stmt* statement) const;
    bool lies_within(const Stmt* part, const Stmt* whole) const;

private:
    polynomial value_of_call(const CallExpr& call);
    polynomial value_of_operator(const CXXOperatorCallExpr& call);
    polynomial value_of_binary(const BinaryOperator& binary);
    polynomial stored(const Expr* lvalue);
    polynomial size_of_key(const std::string& key, QualType type, const Stmt* at);
    polynomial initial_size(const VarDecl& variable);
    /// Of what has a key, before a statement or expression runs.
    polynomial before(const std::string& key, const Stmt* at);
    /// What a declaration gives the key; none where it declares something else.
    std::optional<polynomial> declared(const std::string& key, const Stmt& statement);
    polynomial assigned(const change& one, const std::string& key);
    /// By how much all changes in a statement raise it; none where that is not known.
    std::optional<polynomial> raised(const std::string& key, const Stmt* statement);
    std::optional<polynomial> raised_each_turn(const std::string& key, const Stmt* loop);
    std::optional<polynomial> raised_by(const change& one);
    std::vector<const change*> changes_in(const std::string& key, const Stmt* statement) const;
    std::int64_t bytes_of(QualType type) const;
    static polynomial unknown(const Stmt* where);

    const FunctionDecl& function_;
    ASTContext& context_;
    changes changes_;
    std::map<const Stmt*, std::optional<counted_loop>> loops_{};
    int depth_ = 0;
    int work_ = 0;
};

/// The parts of a loop; null where it has none.
struct loop_parts {
    const Stmt* before = nullptr;
    const Expr* condition = nullptr;
    const Stmt* body = nullptr;
    const Stmt* after = nullptr; ///< each turn
};

/// None where a statement is no loop.
std::optional<loop_parts> parts_of_loop(const Stmt* statement);

/// Whether a loop's body may leave the loop, or skip its rest, other than by its condition or by leaving the function.
bool has_jump(const Stmt* body, bool of_switch = false);

} // namespace clang::tidy::linn
