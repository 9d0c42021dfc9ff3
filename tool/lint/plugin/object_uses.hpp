// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TOOL_LINT_PLUGIN_OBJECT_USES_HPP
#define LINN_TOOL_LINT_PLUGIN_OBJECT_USES_HPP

#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"
#include "creation.hpp"
#include "fill_size.hpp"

#include <vector>

namespace linn_tidy {

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
    const clang::Stmt* at = nullptr;        ///< when its effect happens
    const clang::Stmt* reference = nullptr; ///< the mention of the holder behind it
    member_path path{};                     ///< of which part; none for the whole object
    const clang::ForStmt* loop = nullptr;   ///< `p[i] = x` in a loop over all elements
};

/// Finds the variable or member that holds the object a function creates, and what the function does to the
/// object through it.
class object_uses {
public:
    object_uses(const creation& made, fill_size& sizes, clang::ASTContext& context,
                const clang::FunctionDecl* function)
        : made_{made},
          sizes_{sizes},
          context_{context},
          function_{function} {}

    /// False where nothing in this function holds it: it is passed on at once.
    bool find();

    /// Whether a function of its class changes an element or a part of what a member holds, by `|=`, `++` and
    /// the like, which some element sees first.
    bool modified_by_members(const clang::FieldDecl& field);

    const std::vector<object_use>& uses() const { return uses_; }
    /// The member that holds it, null where that is a variable.
    const clang::FieldDecl* member() const {
        return tracked_.empty() ? nullptr : clang::dyn_cast<clang::FieldDecl>(tracked_.front().declaration);
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
        const clang::Expr* index = nullptr;
    };

    /// A variable, or a member of this object, through which the created one is reached.
    struct tracked {
        const clang::ValueDecl* declaration = nullptr;
        standing start{};
    };

    const clang::ValueDecl* find_holder() const;
    void look_for(const tracked& what, const clang::Stmt* in);
    void classify(const clang::Expr* mention, standing place);
    const clang::Expr* step(const clang::Expr* node, const clang::Stmt* parent, standing& place);
    const clang::Expr* step_holder(const clang::Expr* node, const clang::Stmt* parent, standing& place);
    const clang::Expr* step_pointer(const clang::Expr* node, const clang::Stmt* parent, standing& place);
    const clang::Expr* step_object(const clang::Expr* node, const clang::Stmt* parent, standing& place);
    const clang::Expr* method(const clang::MemberExpr& member, standing& place);
    const clang::Expr* through_cast(const clang::Expr* node, const clang::CastExpr& cast, standing& place);
    void initialises(const clang::VarDecl& variable, const clang::Stmt* at, const standing& place);
    void argument(const clang::Expr* node, const clang::Stmt* call, const standing& place);
    bool range_only_reads(const clang::VarDecl& range) const;
    bool known_function(const clang::CallExpr& call, unsigned index, const standing& place);
    bool covers(const clang::Expr* amount, std::uint64_t unit, const standing& place) const;
    bool same(const clang::Expr* one, const clang::Expr* other) const;
    bool holds_creation(const clang::Stmt* statement) const;
    void assigned(const clang::Stmt* at, const standing& place);
    const clang::ForStmt* loop_over_all(const clang::Stmt* assignment, const standing& place) const;
    void given_away(const clang::Stmt* at, const standing& place);
    void add(use_kind kind, const clang::Stmt* at, const member_path& path,
             const clang::ForStmt* loop = nullptr);
    void check_loops();

    const creation& made_;
    fill_size& sizes_;
    clang::ASTContext& context_;
    const clang::FunctionDecl* function_;
    std::vector<object_use> uses_{};
    std::vector<tracked> tracked_{};
    const clang::Stmt* mention_ = nullptr;
    bool outlives_ = false;
};

/// Whether a statement is, or contains, another.
bool contains(const clang::Stmt* statement, const clang::Stmt* part);

} // namespace linn_tidy

#endif
