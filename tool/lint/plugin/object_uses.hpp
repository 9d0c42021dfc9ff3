// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"
#include "creation.hpp"
#include "fill_size.hpp"
#include "written_regions.hpp"

#include <memory>
#include <optional>
#include <string>
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
    cut,    ///< the container is given another length: that of what a function wrote, if one did
};

struct object_use {
    use_kind kind = use_kind::escape;
    const Stmt* at = nullptr;        ///< when its effect happens
    const Stmt* reference = nullptr; ///< the mention of the holder behind it
    member_path path{};              ///< of which part; none for the whole object
    std::optional<region> bytes{};   ///< of a use of some elements which; none where that is not known
    bool by_call = false;            ///< `escape`: a function gets a pointer that it may write through
    bool before_all = false;         ///< stands for what a loop does, before the loop writes
};

/// Finds the variable or member that holds the object a function creates, and what the function does to the
/// object through it.
class object_uses {
public:
    object_uses(const creation& made, fill_size& sizes, ASTContext& context, const FunctionDecl* function)
        : made_{made},
          sizes_{sizes},
          context_{context},
          function_{function} {
        if (function != nullptr) {
            values_ = std::make_unique<symbolic>(*function, context);
        }
    }

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
    /// Bytes that are filled, all together.
    polynomial total() const;
    /// The first byte that is filled.
    polynomial first() const;

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
    };

    /// A variable, or a member of this object, through which the created one is reached.
    struct tracked {
        const ValueDecl* declaration = nullptr;
        standing start{};
        std::string key{}; ///< instead of a declaration
    };

    /// A use of a part, or of some elements, which `lvalue` denotes.
    std::optional<region> bytes_of(const Expr* lvalue, const standing& place) const;
    /// So many bytes from where a pointer points to.
    std::optional<region> bytes_from(const Expr* pointer, const polynomial& amount) const;
    std::optional<polynomial> offset_of(const polynomial& address) const;
    bool find_container();
    void look_around(const tracked& what, const Stmt& mention);
    bool leads_on(const Expr& chain, const std::string& key) const;
    void call_on_this(const CXXMemberCallExpr& call, const tracked& what);
    bool is_container(const Expr* node) const;
    const Expr* step_container(const Expr* node, const Stmt* parent, standing& place);
    const Expr* step_iterator(const Expr* node, const CXXOperatorCallExpr& operation, standing& place);
    void range_over(const VarDecl& range, const Stmt* at, const standing& place);
    const Stmt* loop_that_writes(const Stmt* part);
    bool earlier_turn(object_use& use, const Stmt* loop);
    polynomial amount_of(const CallExpr& call, unsigned index, unsigned amount, int unit);

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
    bool follows_assignment(const BinaryOperator& assignment, const Expr* node, const standing& place);
    void initialises(const VarDecl& variable, const Stmt* at, const standing& place);
    void argument(const Expr* node, const Stmt* call, const standing& place);
    bool range_only_reads(const VarDecl& range) const;
    bool known_function(const CallExpr& call, unsigned index, const standing& place);
    void assigned(const Stmt* at, const Expr* lvalue, const standing& place);
    void given_away(const Stmt* at, const standing& place);
    void add(use_kind kind, const Stmt* at, const member_path& path,
             std::optional<region> bytes = std::nullopt);
    void settle_loops();

    const creation& made_;
    fill_size& sizes_;
    ASTContext& context_;
    const FunctionDecl* function_;
    std::vector<object_use> uses_{};
    std::vector<tracked> tracked_{};
    std::vector<std::string> starts_{}; ///< names of the first byte
    std::unique_ptr<symbolic> values_{};
    std::unique_ptr<written_regions> regions_{};
    const Stmt* mention_ = nullptr;
    bool outlives_ = false;
};

} // namespace clang::tidy::linn
