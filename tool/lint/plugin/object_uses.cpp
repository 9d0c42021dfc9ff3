// SPDX-License-Identifier: Apache-2.0
#include "object_uses.hpp"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/AST/StmtCXX.h"
#include "names.hpp"

namespace linn_tidy {

namespace {

/// Following more than these gains nothing.
constexpr std::size_t most_aliases = 8;

bool transparent(const clang::Stmt* statement) {
    return clang::isa<clang::ParenExpr, clang::ExprWithCleanups, clang::MaterializeTemporaryExpr,
                      clang::CXXBindTemporaryExpr, clang::ConstantExpr>(statement);
}

} // namespace

bool contains(const clang::Stmt* statement, const clang::Stmt* part) {
    if (statement == nullptr || statement == part) {
        return statement == part;
    }
    for (const clang::Stmt* child : statement->children()) {
        if (child != nullptr && contains(child, part)) {
            return true;
        }
    }
    return false;
}

bool object_uses::find() {
    const clang::ValueDecl* holder = find_holder();
    if (holder == nullptr) {
        return false;
    }
    outlives_ = clang::isa<clang::FieldDecl>(holder);
    tracked_.push_back({holder, {}});
    // More are appended while these are looked at.
    for (std::size_t i = 0; i < tracked_.size(); ++i) {
        const tracked what = tracked_[i];
        if (const auto* constructor = clang::dyn_cast<clang::CXXConstructorDecl>(function_)) {
            for (const clang::CXXCtorInitializer* initialiser : constructor->inits()) {
                look_for(what, initialiser->getInit());
            }
        }
        look_for(what, function_->getBody());
    }
    check_loops();
    return true;
}

const clang::ValueDecl* object_uses::find_holder() const {
    clang::DynTypedNode node = clang::DynTypedNode::create(*made_.expression);
    for (;;) {
        const auto parents = context_.getParents(node);
        if (parents.empty()) {
            return nullptr;
        }
        const clang::DynTypedNode parent = parents[0];
        if (const auto* variable = parent.get<clang::VarDecl>()) {
            const clang::QualType type = variable->getType();
            return variable->hasLocalStorage() && (type->isPointerType() || is_smart_pointer(type)) &&
                           !type->isReferenceType()
                       ? variable
                       : nullptr;
        }
        if (parent.get<clang::FunctionDecl>() != nullptr ||
            parent.get<clang::CXXCtorInitializer>() != nullptr) {
            const auto* constructor = clang::dyn_cast<clang::CXXConstructorDecl>(function_);
            if (constructor == nullptr) {
                return nullptr;
            }
            for (const clang::CXXCtorInitializer* initialiser : constructor->inits()) {
                if (initialiser->isMemberInitializer() &&
                    contains(initialiser->getInit(), made_.expression)) {
                    return initialiser->getMember();
                }
            }
            return nullptr;
        }
        const auto* statement = parent.get<clang::Stmt>();
        const auto* child = node.get<clang::Stmt>();
        if (statement == nullptr) {
            return nullptr;
        }
        const clang::Expr* target = nullptr;
        if (const auto* construction = clang::dyn_cast<clang::CXXConstructExpr>(statement)) {
            if (!is_smart_pointer(construction->getType()) || construction->getNumArgs() == 0 ||
                construction->getArg(0) != child) {
                return nullptr;
            }
        } else if (const auto* list = clang::dyn_cast<clang::InitListExpr>(statement)) {
            if (list->getNumInits() != 1) {
                return nullptr;
            }
        } else if (const auto* assignment = clang::dyn_cast<clang::BinaryOperator>(statement)) {
            if (assignment->getOpcode() != clang::BO_Assign || assignment->getRHS() != child) {
                return nullptr;
            }
            target = assignment->getLHS();
        } else if (const auto* operation = clang::dyn_cast<clang::CXXOperatorCallExpr>(statement)) {
            if (operation->getOperator() != clang::OO_Equal || operation->getArg(1) != child) {
                return nullptr;
            }
            target = operation->getArg(0);
        } else if (const auto* call = clang::dyn_cast<clang::CXXMemberCallExpr>(statement)) {
            if (!named(call->getMethodDecl(), {"reset"}) || call->getNumArgs() == 0 ||
                call->getArg(0) != child) {
                return nullptr;
            }
            target = call->getImplicitObjectArgument();
        } else if (!transparent(statement) && !clang::isa<clang::CastExpr>(statement)) {
            return nullptr;
        }
        if (target != nullptr) {
            target = target->IgnoreParenImpCasts();
            if (const auto* reference = clang::dyn_cast<clang::DeclRefExpr>(target)) {
                const auto* variable = clang::dyn_cast<clang::VarDecl>(reference->getDecl());
                return variable != nullptr && variable->hasLocalStorage() &&
                               !variable->getType()->isReferenceType()
                           ? variable
                           : nullptr;
            }
            const auto* member = clang::dyn_cast<clang::MemberExpr>(target);
            const auto* field =
                member != nullptr ? clang::dyn_cast<clang::FieldDecl>(member->getMemberDecl()) : nullptr;
            return field != nullptr &&
                           clang::isa<clang::CXXThisExpr>(member->getBase()->IgnoreParenImpCasts())
                       ? field
                       : nullptr;
        }
        node = parent;
    }
}

bool object_uses::modified_by_members(const clang::FieldDecl& field) {
    const auto* record = clang::dyn_cast<clang::CXXRecordDecl>(field.getParent());
    if (record == nullptr) {
        return false;
    }
    for (const clang::CXXMethodDecl* method : record->methods()) {
        const clang::FunctionDecl* definition = nullptr;
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

void object_uses::look_for(const tracked& what, const clang::Stmt* in) {
    if (in == nullptr) {
        return;
    }
    if (const auto* reference = clang::dyn_cast<clang::DeclRefExpr>(in)) {
        if (reference->getDecl() == what.declaration) {
            mention_ = reference;
            classify(reference, what.start);
        }
    } else if (const auto* member = clang::dyn_cast<clang::MemberExpr>(in)) {
        if (member->getMemberDecl() == what.declaration &&
            clang::isa<clang::CXXThisExpr>(member->getBase()->IgnoreParenImpCasts())) {
            mention_ = member;
            classify(member, what.start);
        }
    }
    if (clang::isa<clang::UnaryExprOrTypeTraitExpr, clang::CXXNoexceptExpr>(in)) {
        return;
    }
    for (const clang::Stmt* child : in->children()) {
        look_for(what, child);
    }
}

void object_uses::add(use_kind kind, const clang::Stmt* at, const member_path& path,
                      const clang::ForStmt* loop) {
    // What T's own initialisation writes is no part of the fill, whatever is done to it.
    for (const clang::FieldDecl* field : path) {
        if (!sizes_.leaves_alone(*field, made_.form)) {
            return;
        }
    }
    uses_.push_back({kind, at, mention_, path, loop});
}

void object_uses::classify(const clang::Expr* mention, standing place) {
    const clang::Expr* node = mention;
    while (node != nullptr) {
        const auto parents = context_.getParents(*node);
        if (parents.empty()) {
            add(use_kind::escape, node, place.path);
            return;
        }
        if (const auto* variable = parents[0].get<clang::VarDecl>()) {
            initialises(*variable, node, place);
            return;
        }
        const auto* parent = parents[0].get<clang::Stmt>();
        if (parent == nullptr) {
            add(use_kind::escape, node, place.path);
            return;
        }
        if (transparent(parent)) {
            node = clang::cast<clang::Expr>(parent);
            continue;
        }
        node = step(node, parent, place);
    }
}

/// Whether the variable of a range-based for only sees values; `range` is the hidden variable.
bool object_uses::range_only_reads(const clang::VarDecl& range) const {
    const auto of_range = context_.getParents(range);
    const auto* declaration = of_range.empty() ? nullptr : of_range[0].get<clang::DeclStmt>();
    if (declaration == nullptr) {
        return false;
    }
    const auto of_declaration = context_.getParents(*declaration);
    const auto* loop = of_declaration.empty() ? nullptr : of_declaration[0].get<clang::CXXForRangeStmt>();
    if (loop == nullptr) {
        return false;
    }
    const clang::QualType type = loop->getLoopVariable()->getType();
    return !type->isReferenceType() || type->getPointeeType().isConstQualified();
}

void object_uses::initialises(const clang::VarDecl& variable, const clang::Stmt* at, const standing& place) {
    const clang::QualType type = variable.getType();
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

} // namespace linn_tidy
