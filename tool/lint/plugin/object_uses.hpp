// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"
#include "creation.hpp"
#include "fill_size.hpp"

#include <vector>

namespace clang::tidy::linn {

enum class use_kind {
    write,      ///< all of the part is overwritten, and nothing of it read
    bulk_write, ///< some of it, by a function that writes from its start: read(), snprintf()
    read,
    modify, ///< read and written: `|=`, `++`
    view,   ///< given away as const: read, or stored for later
    escape, ///< given away, who knows what for
    end,    ///< the holder lets go of it
};

struct object_use {
    use_kind kind = use_kind::escape;
    const Stmt* at = nullptr;        ///< when its effect happens
    const Stmt* reference = nullptr; ///< the mention of the holder behind it
    member_path path{};              ///< of which part; none for the whole object
    const ForStmt* loop = nullptr;   ///< `p[i] = x` in a loop over all elements
};

/// Finds the variable or member that holds the object a function creates, and what the function does to the
/// object through it.
class object_uses {
public:
    object_uses(const creation& made, fill_size& sizes, ASTContext& context, const FunctionDecl* function)
        : made_{made},
          sizes_{sizes},
          context_{context},
          function_{function} {}

    /// False where nothing in this function holds it: it is passed on at once.
    bool find();

    /// Whether a function of its class changes an element or a part of what a member holds, by `|=`, `++` and
    /// the like, which some element sees first.
    bool modified_by_members(const FieldDecl& field);

    const std::vector<object_use>& uses() const { return uses_; }
    /// The member that holds it, null where that is a variable.
    const FieldDecl* member() const {
        return tracked_.empty() ? nullptr : dyn_cast<FieldDecl>(tracked_.front().declaration);
    }
    /// Whether what holds it outlives the function.
    bool outlives() const { return outlives_; }

private:
    enum class level { holder, pointer, object };

    /// How an expression relates to the object.
    struct standing {
        level at = level::holder;
        member_path path{};
        bool element = false; ///< some element, not the whole of the array
        bool offset = false;  ///< a pointer that was moved
        bool recast = false;  ///< a pointer to another type
        bool alias = false;   ///< by way of another variable
        const Expr* index = nullptr;
    };

    /// A variable, or a member of this object, through which the created one is reached.
    struct tracked {
        const ValueDecl* declaration = nullptr;
        standing start{};
    };

    const ValueDecl* find_holder() const;
    const FieldDecl* initialised_member() const;
    void look_for(const tracked& what, const Stmt* in);
    void classify(const Expr* mention, standing place);
    const Expr* step(const Expr* node, const Stmt* parent, standing& place);
    const Expr* step_holder(const Expr* node, const Stmt* parent, standing& place);
    const Expr* step_pointer(const Expr* node, const Stmt* parent, standing& place);
    const Expr* step_object(const Expr* node, const Stmt* parent, standing& place);
    const Expr* method(const MemberExpr& member, standing& place);
    const Expr* through_cast(const Expr* node, const CastExpr& cast, standing& place);
    void initialises(const VarDecl& variable, const Stmt* at, const standing& place);
    void argument(const Expr* node, const Stmt* call, const standing& place);
    bool range_only_reads(const VarDecl& range) const;
    bool known_function(const CallExpr& call, unsigned index, const standing& place);
    bool covers(const Expr* amount, std::uint64_t unit, const standing& place) const;
    bool same(const Expr* one, const Expr* other) const;
    void assigned(const Stmt* at, const standing& place);
    const ForStmt* loop_over_all(const Stmt* assignment, const standing& place) const;
    void given_away(const Stmt* at, const standing& place);
    void add(use_kind kind, const Stmt* at, const member_path& path, const ForStmt* loop = nullptr);
    void check_loops();

    const creation& made_;
    fill_size& sizes_;
    ASTContext& context_;
    const FunctionDecl* function_;
    std::vector<object_use> uses_{};
    std::vector<tracked> tracked_{};
    const Stmt* mention_ = nullptr;
    bool outlives_ = false;
};

} // namespace clang::tidy::linn
