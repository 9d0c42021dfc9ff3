// SPDX-License-Identifier: Apache-2.0
#include "object_uses.hpp"
#include "syntax.hpp"

namespace clang::tidy::linn {
namespace {

/// Of pages, of which the largest that is in use.
constexpr std::uint64_t most_alignment = std::uint64_t{1} << 30;

/// `p[0]`, of a pointer or of what acts as one.
bool is_first_element(const Expr& lvalue, const ASTContext& context) {
    const Expr* plain = lvalue.IgnoreParens();
    if (const auto* subscript = dyn_cast<ArraySubscriptExpr>(plain)) {
        return constant(subscript->getIdx(), context) == 0;
    }
    if (const auto* call = dyn_cast<CXXMemberCallExpr>(plain)) {
        return named(call->getMethodDecl(), {"front"});
    }
    const auto* operation = dyn_cast<CXXOperatorCallExpr>(plain);
    return operation != nullptr && operation->getOperator() == OO_Subscript && operation->getNumArgs() == 2 &&
           constant(operation->getArg(1), context) == 0;
}

/// Whether an address, as a number, is compared or asked for its alignment. Anything else may become a pointer again.
bool is_only_looked_at(const Expr& number, ASTContext& context) {
    const auto* parent = parent_of<Expr>(number, context);
    if (parent == nullptr) {
        return false;
    }
    const auto* operation = dyn_cast<BinaryOperator>(parent);
    if (operation == nullptr) {
        const auto* cast = dyn_cast<CastExpr>(parent);
        const bool is_asked = cast != nullptr && cast->getCastKind() == CK_IntegralToBoolean;
        return is_asked || (isa<ParenExpr, CastExpr>(parent) && is_only_looked_at(*parent, context));
    }
    // `address & 15` is; `address & ~15` is an address.
    const Expr* other = operation->getLHS() == &number ? operation->getRHS() : operation->getLHS();
    const std::optional<std::uint64_t> mask = constant(other, context);
    return operation->isComparisonOp() ||
           (operation->getOpcode() == BO_Rem && operation->getLHS() == &number) ||
           (operation->getOpcode() == BO_And && mask && *mask < most_alignment);
}

} // namespace

/// The next expression outwards, or null when the use is known.
const Expr* object_uses::step(const Expr* node, const Stmt* parent, standing& place) {
    if (const auto* cast = dyn_cast<CastExpr>(parent)) {
        return through_cast(node, *cast, place);
    }
    if (!isa<Expr>(parent)) {
        // A statement of its own has no effect; a return gives it away.
        if (isa<ReturnStmt, CoreturnStmt>(parent)) {
            add(use_kind::escape, parent, place.path);
        }
        return nullptr;
    }
    if (isa<CXXRewrittenBinaryOperator>(parent)) {
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

const Expr* object_uses::through_cast(const Expr* node, const CastExpr& cast, standing& place) {
    switch (cast.getCastKind()) {
    case CK_LValueToRValue:
        if (place.at == level::object) {
            add(use_kind::read, &cast, place.path, bytes_of(cast.getSubExpr(), place));
            return nullptr;
        }
        place.at = level::pointer;
        return &cast;
    case CK_ArrayToPointerDecay:
        place.at = level::pointer;
        return &cast;
    case CK_BitCast:
    case CK_LValueBitCast:
        place.recast = place.recast || !cast.getType()->isVoidPointerType();
        return &cast;
    case CK_NoOp:
    case CK_DerivedToBase:
    case CK_UncheckedDerivedToBase:
    case CK_BaseToDerived:
    case CK_ConstructorConversion:
    case CK_UserDefinedConversion:
        return &cast;
    case CK_PointerToBoolean:
    case CK_ToVoid:
        return nullptr;
    case CK_PointerToIntegral:
        if (!is_only_looked_at(cast, context_)) {
            add(use_kind::escape, node, place.path);
        }
        return nullptr;
    default:
        add(use_kind::escape, node, place.path);
        return nullptr;
    }
}

const Expr* object_uses::step_holder(const Expr* node, const Stmt* parent, standing& place) {
    if (is_container(node)) {
        return step_container(node, parent, place);
    }
    if (const auto* of_iterator = dyn_cast<CXXOperatorCallExpr>(parent);
        of_iterator != nullptr && !is_smart_pointer(node->getType()) && unit_of(node->getType(), context_)) {
        return step_iterator(node, *of_iterator, place);
    }
    if (isa<CXXConstructExpr>(parent) && !is_smart_pointer(node->getType()) &&
        unit_of(node->getType(), context_)) {
        place.at = level::pointer; // a copy of an iterator
        return cast<Expr>(parent);
    }
    if (const auto* member = dyn_cast<MemberExpr>(parent)) {
        const ValueDecl* what = member->getMemberDecl();
        const auto* call = parent_of<CXXMemberCallExpr>(*member, context_);
        if (call != nullptr && named(what, {"get", "release"})) {
            place.at = level::pointer;
            return call;
        }
        if (isa<CXXConversionDecl>(what) || named(what, {"use_count", "unique", "get_deleter"})) {
            return nullptr;
        }
        if (call != nullptr && named(what, {"reset"})) {
            if (!contains(call, made_.expression)) {
                add(use_kind::end, call, {});
            }
            return nullptr;
        }
    } else if (const auto* operation = dyn_cast<CXXOperatorCallExpr>(parent)) {
        switch (operation->getOperator()) {
        case OO_Star:
            place.at = level::object;
            place.element = place.element || made_.array;
            return operation;
        case OO_Arrow:
            place.at = level::pointer;
            return operation;
        case OO_Subscript:
            if (operation->getNumArgs() == 2 &&
                operation->getArg(0)->IgnoreParenImpCasts() == node->IgnoreParenImpCasts()) {
                place.at = level::object;
                place.element = true;
                return operation;
            }
            break;
        case OO_Equal:
            if (operation->getArg(0)->IgnoreParenImpCasts() == node->IgnoreParenImpCasts()) {
                if (!contains(operation, made_.expression)) {
                    add(use_kind::end, operation, {});
                }
                return nullptr;
            }
            break;
        case OO_EqualEqual:
        case OO_ExclaimEqual:
            return nullptr;
        default:
            break;
        }
    } else if (const auto* assignment = dyn_cast<BinaryOperator>(parent)) {
        if (assignment->isAssignmentOp() && assignment->getLHS()->IgnoreParens() == node) {
            if (assignment->getOpcode() == BO_Assign && !place.alias &&
                !contains(assignment, made_.expression)) {
                add(use_kind::end, assignment, {});
            }
            return nullptr; // it points elsewhere now
        }
    } else if (const auto* unary = dyn_cast<UnaryOperator>(parent)) {
        if (unary->isIncrementDecrementOp()) {
            place.at = level::pointer;
            place.offset = true;
            return unary;
        }
    }
    add(use_kind::escape, parent, {});
    return nullptr;
}

const Expr* object_uses::step_pointer(const Expr* node, const Stmt* parent, standing& place) {
    if (const auto* operation = dyn_cast<UnaryOperator>(parent)) {
        if (operation->getOpcode() == UO_Deref) {
            place.at = level::object;
            place.element =
                place.element || place.offset || place.recast || (made_.array && place.path.empty());
            return operation;
        }
        if (operation->getOpcode() == UO_LNot) {
            return nullptr;
        }
        if (operation->isIncrementDecrementOp()) {
            place.offset = true;
            return operation;
        }
    } else if (const auto* subscript = dyn_cast<ArraySubscriptExpr>(parent)) {
        if (subscript->getBase()->IgnoreParens() == node || subscript->getBase() == node) {
            place.at = level::object;
            place.element = true;
            return subscript;
        }
    } else if (const auto* member = dyn_cast<MemberExpr>(parent)) {
        const auto* field = dyn_cast<FieldDecl>(member->getMemberDecl());
        place.at = level::object;
        if (field == nullptr) {
            return method(*member, place);
        }
        if (!place.recast && !field->getType()->isReferenceType()) {
            place.path.push_back(field);
            return member;
        }
    } else if (const auto* binary = dyn_cast<BinaryOperator>(parent)) {
        if (binary->isAdditiveOp() && binary->getType()->isPointerType()) {
            place.offset = true;
            return binary;
        }
        if (binary->isComparisonOp() || binary->isAdditiveOp()) {
            return nullptr;
        }
        if (follows_assignment(*binary, node, place)) {
            return nullptr;
        }
    } else if (isa<CXXDeleteExpr>(parent)) {
        add(use_kind::end, parent, {});
        return nullptr;
    } else if (const auto* iterator = dyn_cast<CXXOperatorCallExpr>(parent)) {
        return step_iterator(node, *iterator, place);
    } else if (isa<CXXConstructExpr>(parent) && !node->getType()->isPointerType() &&
               unit_of(node->getType(), context_)) {
        return cast<Expr>(parent); // a copy of an iterator
    } else if (isa<CallExpr, CXXConstructExpr>(parent)) {
        argument(node, parent, place);
        return nullptr;
    } else if (const auto* choice = dyn_cast<ConditionalOperator>(parent)) {
        if (choice->getCond() == node) {
            return nullptr;
        }
    }
    add(use_kind::escape, parent, place.path);
    return nullptr;
}

const Expr* object_uses::step_object(const Expr* node, const Stmt* parent, standing& place) {
    if (const auto* binary = dyn_cast<BinaryOperator>(parent)) {
        if (binary->isAssignmentOp() && binary->getLHS()->IgnoreParens() == node->IgnoreParens()) {
            if (binary->isCompoundAssignmentOp()) {
                add(use_kind::modify, binary, place.path, bytes_of(node, place));
            } else {
                assigned(binary, node, place);
            }
            return nullptr;
        }
        if (binary->getOpcode() == BO_Comma) {
            return binary->getRHS() == node ? binary : nullptr;
        }
    } else if (const auto* operation = dyn_cast<UnaryOperator>(parent)) {
        if (operation->getOpcode() == UO_AddrOf) {
            place.at = level::pointer;
            if (is_first_element(*node, context_) && !place.offset && !place.recast) {
                place.element = false; // &p[0] is p
            }
            return operation;
        }
        if (operation->isIncrementDecrementOp()) {
            add(use_kind::modify, operation, place.path, bytes_of(node, place));
            return nullptr;
        }
    } else if (const auto* member = dyn_cast<MemberExpr>(parent)) {
        const auto* field = dyn_cast<FieldDecl>(member->getMemberDecl());
        if (field == nullptr) {
            return method(*member, place);
        }
        if (!field->getType()->isReferenceType()) {
            place.path.push_back(field);
            return member;
        }
    } else if (const auto* call = dyn_cast<CXXOperatorCallExpr>(parent)) {
        const bool first =
            call->getNumArgs() != 0 && call->getArg(0)->IgnoreParenImpCasts() == node->IgnoreParenImpCasts();
        if (first && call->getOperator() == OO_Equal) {
            assigned(call, node, place);
            return nullptr;
        }
        if (first && call->getOperator() == OO_Subscript &&
            is_std_array(node->getType()->getAsCXXRecordDecl())) {
            place.element = true;
            return call;
        }
        if (first && call->isAssignmentOp()) {
            add(use_kind::modify, call, place.path, bytes_of(node, place));
            return nullptr;
        }
        argument(node, call, place);
        return nullptr;
    } else if (isa<CallExpr, CXXConstructExpr>(parent)) {
        argument(node, parent, place);
        return nullptr;
    } else if (isa<UnaryExprOrTypeTraitExpr, CXXTypeidExpr>(parent)) {
        return nullptr;
    }
    add(use_kind::escape, parent, place.path);
    return nullptr;
}

/// A call of a function of the object, or of a part of it.
const Expr* object_uses::method(const MemberExpr& member, standing& place) {
    const auto* call = parent_of<CXXMemberCallExpr>(member, context_);
    const auto* function = dyn_cast<CXXMethodDecl>(member.getMemberDecl());
    if (call == nullptr || function == nullptr || function->isStatic()) {
        return nullptr;
    }
    if (is_std_array(function->getParent())) {
        if (named(function, {"size", "empty", "max_size"})) {
            return nullptr;
        }
        if (named(function, {"data", "begin"})) {
            place.at = level::pointer;
            return call;
        }
        if (named(function, {"end"})) {
            return nullptr; // the end of a range whose start is the use
        }
        if (named(function, {"fill"}) && !place.element) {
            add(use_kind::write, call, place.path);
            return nullptr;
        }
        if (named(function, {"at", "front", "back"})) {
            place.element = true;
            return call;
        }
    }
    const bool looks = function->isConst();
    add(looks ? use_kind::view : use_kind::escape, call, place.path);
    return nullptr;
}

} // namespace clang::tidy::linn
