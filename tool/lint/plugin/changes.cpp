// SPDX-License-Identifier: Apache-2.0
#include "changes.hpp"

#include "clang/AST/DeclTemplate.h"
#include "syntax.hpp"

#include <sstream>

namespace clang::tidy::linn {
namespace {

std::string address_text(const void* of) {
    std::ostringstream text;
    text << of;
    return text.str();
}

/// The first template argument of a class, where that is a type.
QualType first_argument(const CXXRecordDecl* record) {
    const auto* special = dyn_cast_or_null<ClassTemplateSpecializationDecl>(record);
    return special != nullptr && special->getTemplateArgs().size() != 0 &&
                   special->getTemplateArgs()[0].getKind() == TemplateArgument::Type
               ? special->getTemplateArgs()[0].getAsType()
               : QualType();
}

bool may_change(QualType parameter) {
    return parameter->isLValueReferenceType() && !parameter->getPointeeType().isConstQualified();
}

bool may_change_pointee(QualType parameter) {
    return parameter->isPointerType() && !parameter->getPointeeType().isConstQualified();
}

} // namespace

std::string key_of(const ValueDecl& declaration) {
    return "d" + address_text(declaration.getCanonicalDecl());
}

std::string key_of(const Expr* lvalue, const ASTContext& context) {
    if (lvalue == nullptr) {
        return {};
    }
    lvalue = lvalue->IgnoreParenImpCasts();
    if (isa<CXXThisExpr>(lvalue)) {
        return "this";
    }
    if (const auto* reference = dyn_cast<DeclRefExpr>(lvalue)) {
        const auto* variable = dyn_cast<VarDecl>(reference->getDecl());
        if (variable == nullptr) {
            return {};
        }
        if (variable->getType()->isReferenceType() && variable->isLocalVarDecl() && variable->hasInit() &&
            !variable->isCXXForRangeDecl()) {
            const std::string key = key_of(variable->getInit(), context);
            if (!key.empty()) {
                return key;
            }
        }
        return key_of(*variable);
    }
    if (const auto* member = dyn_cast<MemberExpr>(lvalue)) {
        const auto* field = dyn_cast<FieldDecl>(member->getMemberDecl());
        const std::string base = key_of(member->getBase(), context);
        if (field == nullptr || base.empty()) {
            return {};
        }
        return base + (member->isArrow() && base != "this" ? "->" : "") + "." +
               address_text(field->getCanonicalDecl());
    }
    if (const auto* operation = dyn_cast<UnaryOperator>(lvalue)) {
        const std::string base =
            operation->getOpcode() == UO_Deref ? key_of(operation->getSubExpr(), context) : std::string{};
        return base.empty() || base == "this" ? base : base + "->";
    }
    if (const auto* operation = dyn_cast<CXXOperatorCallExpr>(lvalue)) {
        if (operation->getNumArgs() == 1 &&
            (operation->getOperator() == OO_Arrow || operation->getOperator() == OO_Star)) {
            const std::string base = key_of(operation->getArg(0), context);
            return base.empty() ? base : base + (operation->getOperator() == OO_Star ? "->" : "");
        }
    }
    const Expr* base = nullptr;
    const Expr* index = nullptr;
    if (const auto* subscript = dyn_cast<ArraySubscriptExpr>(lvalue)) {
        base = subscript->getBase();
        index = subscript->getIdx();
    } else if (const auto* operation = dyn_cast<CXXOperatorCallExpr>(lvalue);
               operation != nullptr && operation->getOperator() == OO_Subscript &&
               operation->getNumArgs() == 2) {
        base = operation->getArg(0);
        index = operation->getArg(1);
    }
    if (base == nullptr) {
        return {};
    }
    const std::string whole = key_of(base, context);
    const std::optional<std::uint64_t> number = constant(index, context);
    const std::string which = number ? std::to_string(*number) : key_of(index, context);
    return whole.empty() || which.empty() ? std::string{} : whole + "[" + which + "]";
}

std::string container_key(const Expr* object, const ASTContext& context) {
    const std::string key = key_of(object, context);
    return key.empty() || key == "this" || !object->getType()->isPointerType() ? key : key + "->";
}

const CXXRecordDecl* contiguous_container(QualType type) {
    const CXXRecordDecl* record = type.getNonReferenceType()->getAsCXXRecordDecl();
    return named(record, {"vector", "array", "basic_string", "span", "basic_string_view"}) &&
                   outermost_namespace(*record) == "std"
               ? record
               : nullptr;
}

QualType element_type(QualType type, const ASTContext& context) {
    type = type.getNonReferenceType();
    if (type->isPointerType()) {
        return type->getPointeeType();
    }
    if (const ArrayType* array = context.getAsArrayType(type)) {
        return array->getElementType();
    }
    const CXXRecordDecl* record = type->getAsCXXRecordDecl();
    const QualType first = first_argument(record);
    if (first.isNull()) {
        return {};
    }
    if (contiguous_container(type) != nullptr) {
        return first;
    }
    if (is_smart_pointer(type)) {
        const ArrayType* array = context.getAsArrayType(first);
        return array != nullptr ? array->getElementType() : first;
    }
    // The iterators of libstdc++ and libc++ wrap a pointer.
    return named(record, {"__normal_iterator", "__wrap_iter"}) && first->isPointerType()
               ? first->getPointeeType()
               : QualType();
}

std::optional<std::int64_t> unit_of(QualType type, const ASTContext& context) {
    type = type.getNonReferenceType();
    if (type->isIntegralOrEnumerationType()) {
        return 1;
    }
    const bool is_pointer =
        type->isPointerType() || named(type->getAsCXXRecordDecl(), {"__normal_iterator", "__wrap_iter"});
    const QualType element = is_pointer ? element_type(type, context) : QualType();
    if (element.isNull() || element->isIncompleteType() || element->isDependentType() ||
        element->isFunctionType()) {
        return std::nullopt;
    }
    return context.getTypeSizeInChars(element).getQuantity();
}

changes::changes(const FunctionDecl& function, ASTContext& context) : context_{context} {
    if (const auto* constructor = dyn_cast<CXXConstructorDecl>(&function)) {
        for (const CXXCtorInitializer* initialiser : constructor->inits()) {
            look_at(initialiser->getInit());
        }
    }
    look_at(function.getBody());
}

std::vector<const change*> changes::of(const std::string& key) const {
    std::vector<const change*> found;
    for (const change& one : all_) {
        const bool is_whole = key.size() > one.key.size() && key.compare(0, one.key.size(), one.key) == 0 &&
                              std::string(".-[").find(key[one.key.size()]) != std::string::npos;
        if (one.key == key || is_whole) {
            found.push_back(&one);
        }
    }
    return found;
}

void changes::add(const std::string& key, change::kind how, const Stmt& at, const Expr* amount,
                  std::int64_t number) {
    if (!key.empty()) {
        all_.push_back({key, how, amount, number, &at});
    }
}

void changes::look_at(const Stmt* statement) {
    if (statement == nullptr || isa<UnaryExprOrTypeTraitExpr>(statement)) {
        return;
    }
    using kind = change::kind;
    if (const auto* binary = dyn_cast<BinaryOperator>(statement);
        binary != nullptr && binary->isAssignmentOp()) {
        const bool is_number = unit_of(binary->getLHS()->getType(), context_).has_value();
        const kind how = !is_number                            ? kind::other
                         : binary->getOpcode() == BO_Assign    ? kind::assign
                         : binary->getOpcode() == BO_AddAssign ? kind::add
                         : binary->getOpcode() == BO_SubAssign ? kind::subtract
                                                               : kind::other;
        add(key_of(binary->getLHS(), context_), how, *binary, binary->getRHS());
    } else if (const auto* unary = dyn_cast<UnaryOperator>(statement)) {
        if (unary->isIncrementDecrementOp()) {
            add(key_of(unary->getSubExpr(), context_), unary->isIncrementOp() ? kind::add : kind::subtract,
                *unary);
        } else if (unary->getOpcode() == UO_AddrOf) {
            const Expr* what = unary->getSubExpr()->IgnoreParens();
            if (isa<DeclRefExpr, MemberExpr>(what)) {
                add(key_of(what, context_), kind::other, *unary);
            }
        }
    } else if (const auto* operation = dyn_cast<CXXOperatorCallExpr>(statement)) {
        const Expr* first = operation->getNumArgs() != 0 ? operation->getArg(0) : nullptr;
        const bool is_iterator = first != nullptr && unit_of(first->getType(), context_).has_value();
        const Expr* second = operation->getNumArgs() > 1 ? operation->getArg(1) : nullptr;
        const OverloadedOperatorKind which = operation->getOperator();
        if (which == OO_PlusPlus || which == OO_MinusMinus) {
            add(key_of(first, context_),
                !is_iterator           ? kind::other
                : which == OO_PlusPlus ? kind::add
                                       : kind::subtract,
                *operation);
        } else if (operation->isAssignmentOp()) {
            add(key_of(first, context_),
                !is_iterator            ? kind::other
                : which == OO_Equal     ? kind::assign
                : which == OO_PlusEqual ? kind::add
                                        : kind::other,
                *operation, second);
        }
        arguments(*operation);
    } else if (const auto* member_call = dyn_cast<CXXMemberCallExpr>(statement)) {
        method(*member_call);
        arguments(*member_call);
    } else if (isa<CallExpr, CXXConstructExpr>(statement)) {
        arguments(*statement);
    }
    for (const Stmt* child : statement->children()) {
        look_at(child);
    }
}

/// A container's elements may change without its size.
void changes::method(const CXXMemberCallExpr& call) {
    using kind = change::kind;
    const CXXMethodDecl* function = call.getMethodDecl();
    const Expr* object = call.getImplicitObjectArgument();
    if (function == nullptr || object == nullptr || function->isConst() ||
        isa<CXXThisExpr>(object->IgnoreParenImpCasts())) {
        return;
    }
    const std::string key = container_key(object, context_);
    if (key.empty()) {
        return;
    }
    const QualType type =
        object->getType()->isPointerType() ? object->getType()->getPointeeType() : object->getType();
    if (contiguous_container(type) == nullptr) {
        if (!is_smart_pointer(type)) {
            add(key, kind::other, call);
        }
        return;
    }
    const std::string size = key + size_suffix;
    const Expr* first = call.getNumArgs() != 0 ? call.getArg(0) : nullptr;
    if (named(function, {"resize"}) ||
        (named(function, {"assign"}) && call.getNumArgs() == 2 && first->getType()->isIntegerType())) {
        add(size, kind::assign, call, first);
    } else if (named(function, {"push_back", "emplace_back"})) {
        add(size, kind::add, call);
    } else if (named(function, {"pop_back"})) {
        add(size, kind::subtract, call);
    } else if (named(function, {"clear"})) {
        add(size, kind::assign, call, nullptr, 0);
    } else if (!named(function, {"data", "begin", "end", "rbegin", "rend", "front", "back", "at",
                                 "operator[]", "fill", "reserve", "shrink_to_fit"})) {
        add(key, kind::other, call);
    }
}

void changes::arguments(const Stmt& call) {
    const FunctionDecl* function = nullptr;
    std::vector<const Expr*> given;
    unsigned skipped = 0;
    if (const auto* construction = dyn_cast<CXXConstructExpr>(&call)) {
        function = construction->getConstructor();
        given.assign(construction->arg_begin(), construction->arg_end());
    } else {
        const auto& plain = *cast<CallExpr>(&call);
        function = plain.getDirectCallee();
        given.assign(plain.arg_begin(), plain.arg_end());
        const auto* of_class = dyn_cast_or_null<CXXMethodDecl>(function);
        skipped = isa<CXXOperatorCallExpr>(plain) && of_class != nullptr && !of_class->isStatic() ? 1 : 0;
    }
    if (function != nullptr && named(function, {"move", "forward", "begin", "end", "size", "data"}) &&
        outermost_namespace(*function) == "std") {
        return;
    }
    for (unsigned i = skipped; i < given.size(); ++i) {
        const bool is_known = function != nullptr && i - skipped < function->getNumParams();
        const QualType type = is_known ? function->getParamDecl(i - skipped)->getType() : given[i]->getType();
        if (is_known && may_change(type)) {
            add(key_of(given[i], context_), change::kind::other, call);
        } else if (may_change_pointee(type)) {
            const std::string key = key_of(given[i], context_);
            add(key.empty() ? key : key + "->", change::kind::other, call);
        }
    }
}

} // namespace clang::tidy::linn
