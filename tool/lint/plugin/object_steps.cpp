// SPDX-License-Identifier: Apache-2.0
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMapContext.h"
#include "names.hpp"
#include "object_uses.hpp"

namespace linn_tidy {

/// The next expression outwards, or null when the use is known.
const clang::Expr* object_uses::step(const clang::Expr* node, const clang::Stmt* parent, standing& place) {
    if (const auto* cast = clang::dyn_cast<clang::CastExpr>(parent)) {
        return through_cast(node, *cast, place);
    }
    if (!clang::isa<clang::Expr>(parent)) {
        // A statement of its own has no effect; a return gives it away.
        if (clang::isa<clang::ReturnStmt, clang::CoreturnStmt>(parent)) {
            add(use_kind::escape, parent, place.path);
        }
        return nullptr;
    }
    if (clang::isa<clang::CXXRewrittenBinaryOperator>(parent)) {
        return nullptr; // a comparison
    }
    switch (place.at) {
    case level::holder:
        return step_holder(node, parent, place);
    case level::pointer:
        return step_pointer(node, parent, place);
    case level::object:
        return step_object(node, parent, place);
    }
    return nullptr;
}

const clang::Expr* object_uses::through_cast(const clang::Expr* node, const clang::CastExpr& cast,
                                             standing& place) {
    switch (cast.getCastKind()) {
    case clang::CK_LValueToRValue:
        if (place.at == level::object) {
            add(use_kind::read, &cast, place.path);
            return nullptr;
        }
        place.at = level::pointer;
        return &cast;
    case clang::CK_ArrayToPointerDecay:
        place.at = level::pointer;
        return &cast;
    case clang::CK_BitCast:
    case clang::CK_LValueBitCast:
        place.recast = place.recast || !cast.getType()->isVoidPointerType();
        return &cast;
    case clang::CK_NoOp:
    case clang::CK_DerivedToBase:
    case clang::CK_UncheckedDerivedToBase:
    case clang::CK_BaseToDerived:
    case clang::CK_ConstructorConversion:
        return &cast;
    case clang::CK_UserDefinedConversion:
        return &cast;
    case clang::CK_PointerToBoolean:
    case clang::CK_PointerToIntegral:
    case clang::CK_ToVoid:
        return nullptr;
    default:
        add(use_kind::escape, node, place.path);
        return nullptr;
    }
}

const clang::Expr* object_uses::step_holder(const clang::Expr* node, const clang::Stmt* parent,
                                            standing& place) {
    if (const auto* member = clang::dyn_cast<clang::MemberExpr>(parent)) {
        const clang::ValueDecl* what = member->getMemberDecl();
        const auto outer = context_.getParents(*member);
        const auto* call = outer.empty() ? nullptr : outer[0].get<clang::CXXMemberCallExpr>();
        if (call != nullptr && named(what, {"get", "release"})) {
            place.at = level::pointer;
            return call;
        }
        if (clang::isa<clang::CXXConversionDecl>(what) ||
            named(what, {"use_count", "unique", "get_deleter"})) {
            return nullptr;
        }
        if (call != nullptr && named(what, {"reset"})) {
            if (!holds_creation(call)) {
                add(use_kind::end, call, {});
            }
            return nullptr;
        }
    } else if (const auto* operation = clang::dyn_cast<clang::CXXOperatorCallExpr>(parent)) {
        switch (operation->getOperator()) {
        case clang::OO_Star:
            place.at = level::object;
            place.element = place.element || made_.array;
            return operation;
        case clang::OO_Arrow:
            place.at = level::pointer;
            return operation;
        case clang::OO_Subscript:
            if (operation->getNumArgs() == 2 &&
                operation->getArg(0)->IgnoreParenImpCasts() == node->IgnoreParenImpCasts()) {
                place.at = level::object;
                place.element = true;
                place.index = operation->getArg(1);
                return operation;
            }
            break;
        case clang::OO_Equal:
            if (operation->getArg(0)->IgnoreParenImpCasts() == node->IgnoreParenImpCasts()) {
                if (!holds_creation(operation)) {
                    add(use_kind::end, operation, {});
                }
                return nullptr;
            }
            break;
        case clang::OO_EqualEqual:
        case clang::OO_ExclaimEqual:
            return nullptr;
        default:
            break;
        }
    } else if (const auto* assignment = clang::dyn_cast<clang::BinaryOperator>(parent)) {
        if (assignment->getOpcode() == clang::BO_Assign && assignment->getLHS()->IgnoreParens() == node &&
            !place.alias) {
            if (!holds_creation(assignment)) {
                add(use_kind::end, assignment, {});
            }
            return nullptr;
        }
    }
    add(use_kind::escape, parent, {});
    return nullptr;
}

const clang::Expr* object_uses::step_pointer(const clang::Expr* node, const clang::Stmt* parent,
                                             standing& place) {
    if (const auto* operation = clang::dyn_cast<clang::UnaryOperator>(parent)) {
        if (operation->getOpcode() == clang::UO_Deref) {
            place.at = level::object;
            place.element =
                place.element || place.offset || place.recast || (made_.array && place.path.empty());
            return operation;
        }
        if (operation->getOpcode() == clang::UO_LNot) {
            return nullptr;
        }
    } else if (const auto* subscript = clang::dyn_cast<clang::ArraySubscriptExpr>(parent)) {
        if (subscript->getBase()->IgnoreParens() == node || subscript->getBase() == node) {
            place.at = level::object;
            place.index = place.element || place.offset || place.recast ? nullptr : subscript->getIdx();
            place.element = true;
            return subscript;
        }
    } else if (const auto* member = clang::dyn_cast<clang::MemberExpr>(parent)) {
        const auto* field = clang::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
        place.at = level::object;
        if (field == nullptr) {
            return method(*member, place);
        }
        if (!place.recast && !field->getType()->isReferenceType()) {
            place.path.push_back(field);
            return member;
        }
    } else if (const auto* binary = clang::dyn_cast<clang::BinaryOperator>(parent)) {
        if (binary->isAdditiveOp() && binary->getType()->isPointerType()) {
            place.offset = true;
            return binary;
        }
        if (binary->isComparisonOp() || binary->isAdditiveOp()) {
            return nullptr;
        }
    } else if (clang::isa<clang::CXXDeleteExpr>(parent)) {
        add(use_kind::end, parent, {});
        return nullptr;
    } else if (clang::isa<clang::CallExpr, clang::CXXConstructExpr>(parent)) {
        argument(node, parent, place);
        return nullptr;
    } else if (const auto* choice = clang::dyn_cast<clang::ConditionalOperator>(parent)) {
        if (choice->getCond() == node) {
            return nullptr;
        }
    }
    add(use_kind::escape, parent, place.path);
    return nullptr;
}

const clang::Expr* object_uses::step_object(const clang::Expr* node, const clang::Stmt* parent,
                                            standing& place) {
    if (const auto* binary = clang::dyn_cast<clang::BinaryOperator>(parent)) {
        if (binary->isAssignmentOp() && binary->getLHS()->IgnoreParens() == node->IgnoreParens()) {
            if (binary->isCompoundAssignmentOp()) {
                add(use_kind::modify, binary, place.path);
            } else {
                assigned(binary, place);
            }
            return nullptr;
        }
        if (binary->getOpcode() == clang::BO_Comma) {
            return binary->getRHS() == node ? binary : nullptr;
        }
    } else if (const auto* operation = clang::dyn_cast<clang::UnaryOperator>(parent)) {
        if (operation->getOpcode() == clang::UO_AddrOf) {
            place.at = level::pointer;
            clang::Expr::EvalResult index;
            if (place.index != nullptr && place.index->EvaluateAsInt(index, context_) &&
                index.Val.getInt().isZero()) {
                place.element = false; // &p[0] is p
            }
            return operation;
        }
        if (operation->isIncrementDecrementOp()) {
            add(use_kind::modify, operation, place.path);
            return nullptr;
        }
    } else if (const auto* member = clang::dyn_cast<clang::MemberExpr>(parent)) {
        const auto* field = clang::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
        if (field == nullptr) {
            return method(*member, place);
        }
        if (!field->getType()->isReferenceType()) {
            place.path.push_back(field);
            return member;
        }
    } else if (const auto* call = clang::dyn_cast<clang::CXXOperatorCallExpr>(parent)) {
        const bool first =
            call->getNumArgs() != 0 && call->getArg(0)->IgnoreParenImpCasts() == node->IgnoreParenImpCasts();
        if (first && call->getOperator() == clang::OO_Equal) {
            assigned(call, place);
            return nullptr;
        }
        if (first && call->getOperator() == clang::OO_Subscript &&
            is_std_array(node->getType()->getAsCXXRecordDecl())) {
            place.index = place.element ? nullptr : call->getArg(1);
            place.element = true;
            return call;
        }
        if (first && call->isAssignmentOp()) {
            add(use_kind::modify, call, place.path);
            return nullptr;
        }
        argument(node, call, place);
        return nullptr;
    } else if (clang::isa<clang::CallExpr, clang::CXXConstructExpr>(parent)) {
        argument(node, parent, place);
        return nullptr;
    } else if (clang::isa<clang::UnaryExprOrTypeTraitExpr, clang::CXXTypeidExpr>(parent)) {
        return nullptr;
    }
    add(use_kind::escape, parent, place.path);
    return nullptr;
}

/// A call of a function of the object, or of a part of it.
const clang::Expr* object_uses::method(const clang::MemberExpr& member, standing& place) {
    const auto outer = context_.getParents(member);
    const auto* call = outer.empty() ? nullptr : outer[0].get<clang::CXXMemberCallExpr>();
    const auto* function = clang::dyn_cast<clang::CXXMethodDecl>(member.getMemberDecl());
    if (call == nullptr || function == nullptr || function->isStatic()) {
        return nullptr;
    }
    if (is_std_array(function->getParent())) {
        if (named(function, {"size", "empty", "max_size"})) {
            return nullptr;
        }
        if (named(function, {"data"})) {
            place.at = level::pointer;
            return call;
        }
        if (named(function, {"fill"}) && !place.element) {
            add(use_kind::write, call, place.path);
            return nullptr;
        }
        if (named(function, {"at", "front", "back"})) {
            place.element = true;
            place.index = nullptr;
            return call;
        }
    }
    const bool looks = function->isConst();
    add(looks ? use_kind::view : use_kind::escape, call, place.path);
    return nullptr;
}

bool object_uses::holds_creation(const clang::Stmt* statement) const {
    return contains(statement, made_.expression);
}

} // namespace linn_tidy
