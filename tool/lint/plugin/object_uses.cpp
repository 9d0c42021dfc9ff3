// SPDX-License-Identifier: Apache-2.0
#include "object_uses.hpp"

#include "clang/AST/StmtCXX.h"
#include "syntax.hpp"

#include <algorithm>

namespace clang::tidy::linn {
namespace {

/// Following more than these gains nothing.
constexpr std::size_t most_aliases = 8;

bool transparent(const Stmt* statement) {
    return isa<ParenExpr, ExprWithCleanups, MaterializeTemporaryExpr, CXXBindTemporaryExpr, ConstantExpr>(
        statement);
}

/// A variable of the function itself; null is none.
bool is_local(const VarDecl* variable) {
    return variable != nullptr && variable->hasLocalStorage() && !variable->getType()->isReferenceType();
}

/// What `child` is assigned to by the statement that it is part of: `p = child`, `p.reset(child)`.
const Expr* assigned_target(const Stmt& statement, const Stmt* child) {
    if (const auto* assignment = dyn_cast<BinaryOperator>(&statement)) {
        return assignment->getOpcode() == BO_Assign && assignment->getRHS() == child ? assignment->getLHS()
                                                                                     : nullptr;
    }
    if (const auto* operation = dyn_cast<CXXOperatorCallExpr>(&statement)) {
        return operation->getOperator() == OO_Equal && operation->getArg(1) == child ? operation->getArg(0)
                                                                                     : nullptr;
    }
    const auto* call = dyn_cast<CXXMemberCallExpr>(&statement);
    return call != nullptr && named(call->getMethodDecl(), {"reset"}) && call->getNumArgs() != 0 &&
                   call->getArg(0) == child
               ? call->getImplicitObjectArgument()
               : nullptr;
}

/// Whether the value of a statement is the pointer that `child`, a part of it, is.
bool passes_on(const Stmt& statement, const Stmt* child) {
    if (const auto* construction = dyn_cast<CXXConstructExpr>(&statement)) {
        return is_smart_pointer(construction->getType()) && construction->getNumArgs() != 0 &&
               construction->getArg(0) == child;
    }
    const auto* list = dyn_cast<InitListExpr>(&statement);
    return (list != nullptr && list->getNumInits() == 1) || transparent(&statement) ||
           isa<CastExpr>(statement);
}

} // namespace

bool object_uses::find() {
    if (made_.where_it_lies != storage::pointer) {
        if (!find_container()) {
            return false;
        }
    } else {
        const ValueDecl* holder = find_holder();
        if (holder == nullptr) {
            return false;
        }
        outlives_ = isa<FieldDecl>(holder);
        tracked_.push_back({holder, {}});
        const std::string key =
            (outlives_ ? "this." : "") + (outlives_ ? key_of(*holder).substr(1) : key_of(*holder));
        starts_ = {symbolic::start_of(key), "k" + key};
        if (const auto* by_new = dyn_cast<CXXNewExpr>(made_.expression)) {
            starts_.push_back(symbolic::start_of(*by_new));
        }
    }
    // More are appended while these are looked at.
    for (std::size_t i = 0; i < tracked_.size(); ++i) {
        const tracked what = tracked_[i];
        if (const auto* constructor = dyn_cast<CXXConstructorDecl>(function_)) {
            for (const CXXCtorInitializer* initialiser : constructor->inits()) {
                look_for(what, initialiser->getInit());
            }
        }
        look_for(what, function_->getBody());
    }
    settle_loops();
    return true;
}

const ValueDecl* object_uses::find_holder() const {
    const ValueDecl* holder = nullptr;
    const Stmt* child = made_.expression;
    climb(*made_.expression, context_, [&](const DynTypedNode& around) {
        const auto* statement = around.get<Stmt>();
        if (const auto* variable = around.get<VarDecl>()) {
            const QualType type = variable->getType();
            holder =
                is_local(variable) && (type->isPointerType() || is_smart_pointer(type)) ? variable : nullptr;
        } else if (around.get<FunctionDecl>() != nullptr || around.get<CXXCtorInitializer>() != nullptr) {
            holder = initialised_member();
        } else if (statement != nullptr) {
            if (const Expr* target = assigned_target(*statement, child)) {
                target = target->IgnoreParenImpCasts();
                holder = member_of_this(*target);
                if (const auto* reference = dyn_cast<DeclRefExpr>(target)) {
                    const auto* assigned = dyn_cast<VarDecl>(reference->getDecl());
                    holder = is_local(assigned) ? assigned : nullptr;
                }
                return false;
            }
            child = passes_on(*statement, child) ? statement : nullptr;
            return child != nullptr;
        }
        return false;
    });
    return holder;
}

/// The member whose initialiser in the constructor contains the creation.
const FieldDecl* object_uses::initialised_member() const {
    if (const auto* constructor = dyn_cast<CXXConstructorDecl>(function_)) {
        for (const CXXCtorInitializer* initialiser : constructor->inits()) {
            if (initialiser->isMemberInitializer() && contains(initialiser->getInit(), made_.expression)) {
                return initialiser->getMember();
            }
        }
    }
    return nullptr;
}

bool object_uses::modified_by_members(const FieldDecl& field) {
    const auto* record = dyn_cast<CXXRecordDecl>(field.getParent());
    if (record == nullptr) {
        return false;
    }
    for (const CXXMethodDecl* method : record->methods()) {
        const FunctionDecl* definition = nullptr;
        if (method->hasBody(definition)) {
            look_for({&field, {}}, definition->getBody());
        }
    }
    return std::any_of(uses_.begin(), uses_.end(),
                       [](const object_use& use) { return use.kind == use_kind::modify; });
}

void object_uses::look_for(const tracked& what, const Stmt* in) {
    if (in == nullptr) {
        return;
    }
    const auto* reference = dyn_cast<DeclRefExpr>(in);
    const ValueDecl* meant = reference != nullptr ? reference->getDecl() : member_of_this(*in);
    if (!what.key.empty()) {
        look_around(what, *in);
    } else if (meant != nullptr && meant == what.declaration) {
        mention_ = in;
        classify(cast<Expr>(in), what.start);
    }
    if (isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr>(in)) {
        return;
    }
    for (const Stmt* child : in->children()) {
        look_for(what, child);
    }
}

void object_uses::add(use_kind kind, const Stmt* at, const member_path& path, std::optional<region> bytes) {
    // What T's own initialisation writes is no part of the fill, whatever is done to it.
    if (!std::all_of(path.begin(), path.end(),
                     [&](const FieldDecl* field) { return sizes_.leaves_alone(*field, made_.form); })) {
        return;
    }
    uses_.push_back({kind, at, mention_, path, std::move(bytes)});
}

void object_uses::classify(const Expr* mention, standing place) {
    const Expr* node = mention;
    while (node != nullptr) {
        if (const auto* variable = parent_of<VarDecl>(*node, context_)) {
            initialises(*variable, node, place);
            return;
        }
        const auto* parent = parent_of<Stmt>(*node, context_);
        if (parent == nullptr) {
            add(use_kind::escape, node, place.path);
            return;
        }
        if (transparent(parent)) {
            node = cast<Expr>(parent);
            continue;
        }
        node = step(node, parent, place);
    }
}

/// Whether the variable of a range-based for only sees values; `range` is the hidden variable.
bool object_uses::range_only_reads(const VarDecl& range) const {
    const auto* declaration = parent_of<DeclStmt>(range, context_);
    const auto* loop = declaration != nullptr ? parent_of<CXXForRangeStmt>(*declaration, context_) : nullptr;
    if (loop == nullptr) {
        return false;
    }
    const QualType type = loop->getLoopVariable()->getType();
    return !type->isReferenceType() || type->getPointeeType().isConstQualified();
}

/// `row = v.data() + x`: another variable that points to it.
bool object_uses::follows_assignment(const BinaryOperator& assignment, const Expr* node,
                                     const standing& place) {
    const auto* target =
        assignment.getOpcode() == BO_Assign && assignment.getRHS()->IgnoreParens() == node->IgnoreParens()
            ? dyn_cast<DeclRefExpr>(assignment.getLHS()->IgnoreParens())
            : nullptr;
    const auto* variable = target != nullptr ? dyn_cast<VarDecl>(target->getDecl()) : nullptr;
    if (!is_local(variable) || !variable->getType()->isPointerType() || tracked_.size() >= most_aliases) {
        return false;
    }
    const bool is_known = std::any_of(tracked_.begin(), tracked_.end(),
                                      [&](const tracked& one) { return one.declaration == variable; });
    if (!is_known) {
        standing start = place;
        start.alias = true;
        start.at = level::holder;
        tracked_.push_back({variable, start, {}});
    }
    return true;
}

void object_uses::initialises(const VarDecl& variable, const Stmt* at, const standing& place) {
    const QualType type = variable.getType();
    if (variable.isImplicit() && (place.at == level::object || is_container(cast<Expr>(at)))) {
        range_over(variable, at, place);
        return;
    }
    const bool is_iterator = !type->isReferenceType() && !type->isPointerType() && unit_of(type, context_) &&
                             !type->isIntegralOrEnumerationType();
    const bool follows =
        variable.hasLocalStorage() && tracked_.size() < most_aliases &&
        ((type->isPointerType() && place.at == level::pointer) ||
         (is_iterator && place.at != level::object) ||
         (type->isReferenceType() && (place.at == level::object || is_container(cast<Expr>(at)))));
    if (!follows) {
        add(use_kind::escape, at, place.path);
        return;
    }
    standing start = place;
    start.alias = true;
    start.at = type->isReferenceType() && place.at == level::object ? level::object : level::holder;
    tracked_.push_back({&variable, start});
}

} // namespace clang::tidy::linn
