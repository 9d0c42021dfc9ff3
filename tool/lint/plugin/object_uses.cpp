// SPDX-License-Identifier: Apache-2.0
#include "object_uses.hpp"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/AST/StmtCXX.h"
#include "names.hpp"

namespace clang::tidy::linn {

namespace {

/// Following more than these gains nothing.
constexpr std::size_t most_aliases = 8;

bool transparent(const Stmt* statement) {
    return isa<ParenExpr, ExprWithCleanups, MaterializeTemporaryExpr, CXXBindTemporaryExpr, ConstantExpr>(
        statement);
}

} // namespace

bool contains(const Stmt* statement, const Stmt* part) {
    if (statement == nullptr || statement == part) {
        return statement == part;
    }
    for (const Stmt* child : statement->children()) {
        if (child != nullptr && contains(child, part)) {
            return true;
        }
    }
    return false;
}

bool object_uses::find() {
    const ValueDecl* holder = find_holder();
    if (holder == nullptr) {
        return false;
    }
    outlives_ = isa<FieldDecl>(holder);
    tracked_.push_back({holder, {}});
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
    check_loops();
    return true;
}

const ValueDecl* object_uses::find_holder() const {
    DynTypedNode node = DynTypedNode::create(*made_.expression);
    for (;;) {
        const auto parents = context_.getParents(node);
        if (parents.empty()) {
            return nullptr;
        }
        const DynTypedNode parent = parents[0];
        if (const auto* variable = parent.get<VarDecl>()) {
            const QualType type = variable->getType();
            return variable->hasLocalStorage() && (type->isPointerType() || is_smart_pointer(type)) &&
                           !type->isReferenceType()
                       ? variable
                       : nullptr;
        }
        if (parent.get<FunctionDecl>() != nullptr || parent.get<CXXCtorInitializer>() != nullptr) {
            const auto* constructor = dyn_cast<CXXConstructorDecl>(function_);
            if (constructor == nullptr) {
                return nullptr;
            }
            for (const CXXCtorInitializer* initialiser : constructor->inits()) {
                if (initialiser->isMemberInitializer() &&
                    contains(initialiser->getInit(), made_.expression)) {
                    return initialiser->getMember();
                }
            }
            return nullptr;
        }
        const auto* statement = parent.get<Stmt>();
        const auto* child = node.get<Stmt>();
        if (statement == nullptr) {
            return nullptr;
        }
        const Expr* target = nullptr;
        if (const auto* construction = dyn_cast<CXXConstructExpr>(statement)) {
            if (!is_smart_pointer(construction->getType()) || construction->getNumArgs() == 0 ||
                construction->getArg(0) != child) {
                return nullptr;
            }
        } else if (const auto* list = dyn_cast<InitListExpr>(statement)) {
            if (list->getNumInits() != 1) {
                return nullptr;
            }
        } else if (const auto* assignment = dyn_cast<BinaryOperator>(statement)) {
            if (assignment->getOpcode() != BO_Assign || assignment->getRHS() != child) {
                return nullptr;
            }
            target = assignment->getLHS();
        } else if (const auto* operation = dyn_cast<CXXOperatorCallExpr>(statement)) {
            if (operation->getOperator() != OO_Equal || operation->getArg(1) != child) {
                return nullptr;
            }
            target = operation->getArg(0);
        } else if (const auto* call = dyn_cast<CXXMemberCallExpr>(statement)) {
            if (!named(call->getMethodDecl(), {"reset"}) || call->getNumArgs() == 0 ||
                call->getArg(0) != child) {
                return nullptr;
            }
            target = call->getImplicitObjectArgument();
        } else if (!transparent(statement) && !isa<CastExpr>(statement)) {
            return nullptr;
        }
        if (target != nullptr) {
            target = target->IgnoreParenImpCasts();
            if (const auto* reference = dyn_cast<DeclRefExpr>(target)) {
                const auto* variable = dyn_cast<VarDecl>(reference->getDecl());
                return variable != nullptr && variable->hasLocalStorage() &&
                               !variable->getType()->isReferenceType()
                           ? variable
                           : nullptr;
            }
            const auto* member = dyn_cast<MemberExpr>(target);
            const auto* field = member != nullptr ? dyn_cast<FieldDecl>(member->getMemberDecl()) : nullptr;
            return field != nullptr && isa<CXXThisExpr>(member->getBase()->IgnoreParenImpCasts()) ? field
                                                                                                  : nullptr;
        }
        node = parent;
    }
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
    for (const object_use& use : uses_) {
        if (use.kind == use_kind::modify) {
            return true;
        }
    }
    return false;
}

void object_uses::look_for(const tracked& what, const Stmt* in) {
    if (in == nullptr) {
        return;
    }
    if (const auto* reference = dyn_cast<DeclRefExpr>(in)) {
        if (reference->getDecl() == what.declaration) {
            mention_ = reference;
            classify(reference, what.start);
        }
    } else if (const auto* member = dyn_cast<MemberExpr>(in)) {
        if (member->getMemberDecl() == what.declaration &&
            isa<CXXThisExpr>(member->getBase()->IgnoreParenImpCasts())) {
            mention_ = member;
            classify(member, what.start);
        }
    }
    if (isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr>(in)) {
        return;
    }
    for (const Stmt* child : in->children()) {
        look_for(what, child);
    }
}

void object_uses::add(use_kind kind, const Stmt* at, const member_path& path, const ForStmt* loop) {
    // What T's own initialisation writes is no part of the fill, whatever is done to it.
    for (const FieldDecl* field : path) {
        if (!sizes_.leaves_alone(*field, made_.form)) {
            return;
        }
    }
    uses_.push_back({kind, at, mention_, path, loop});
}

void object_uses::classify(const Expr* mention, standing place) {
    const Expr* node = mention;
    while (node != nullptr) {
        const auto parents = context_.getParents(*node);
        if (parents.empty()) {
            add(use_kind::escape, node, place.path);
            return;
        }
        if (const auto* variable = parents[0].get<VarDecl>()) {
            initialises(*variable, node, place);
            return;
        }
        const auto* parent = parents[0].get<Stmt>();
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
    const auto of_range = context_.getParents(range);
    const auto* declaration = of_range.empty() ? nullptr : of_range[0].get<DeclStmt>();
    if (declaration == nullptr) {
        return false;
    }
    const auto of_declaration = context_.getParents(*declaration);
    const auto* loop = of_declaration.empty() ? nullptr : of_declaration[0].get<CXXForRangeStmt>();
    if (loop == nullptr) {
        return false;
    }
    const QualType type = loop->getLoopVariable()->getType();
    return !type->isReferenceType() || type->getPointeeType().isConstQualified();
}

void object_uses::initialises(const VarDecl& variable, const Stmt* at, const standing& place) {
    const QualType type = variable.getType();
    if (variable.isImplicit() && place.at == level::object) { // the range of a for loop
        const bool reads = place.element || range_only_reads(variable);
        add(reads ? use_kind::read : use_kind::escape, at, place.path);
        return;
    }
    const bool follows = variable.hasLocalStorage() && tracked_.size() < most_aliases &&
                         ((type->isPointerType() && place.at == level::pointer) ||
                          (type->isReferenceType() && place.at == level::object));
    if (!follows) {
        add(use_kind::escape, at, place.path);
        return;
    }
    standing start = place;
    start.alias = true;
    start.at = type->isReferenceType() ? level::object : level::holder;
    start.index = nullptr;
    tracked_.push_back({&variable, start});
}

} // namespace clang::tidy::linn
