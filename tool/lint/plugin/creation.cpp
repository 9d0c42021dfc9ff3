// SPDX-License-Identifier: Apache-2.0
#include "creation.hpp"

#include "clang/AST/DeclTemplate.h"
#include "compat.hpp"
#include "syntax.hpp"

#include <algorithm>

namespace clang::tidy::linn {
namespace {

bool usable(QualType type) {
    return !type.isNull() && !type->isDependentType() && !type->isIncompleteType() &&
           !type->isReferenceType() && !type->isFunctionType();
}

/// Flattens T[2][3] to six T, where the number is known.
void set_object(creation& made, QualType type, ASTContext& context) {
    while (const ConstantArrayType* array = context.getAsConstantArrayType(type)) {
        made.array = true;
        if (!made.count) {
            break; // N bytes for each element are those of each T[3]
        }
        *made.count *= array->getSize().getZExtValue();
        type = array->getElementType();
    }
    made.object = type;
}

void set_count(creation& made, const Expr* count, const ASTContext& context) {
    made.array = true;
    made.count_expression = count;
    made.count = constant(count, context);
}

/// Whether an initialiser was given nothing; what stands there then is what the compiler made of `()` or `{}`.
bool is_given_nothing(const Expr& initialiser, bool braces) {
    const Expr* inner = initialiser.IgnoreImplicit();
    if (const auto* list = dyn_cast<InitListExpr>(inner)) {
        return braces && is_empty_list(*list);
    }
    const auto* construction = dyn_cast<CXXConstructExpr>(inner);
    const auto* list = dyn_cast<ParenListExpr>(inner);
    return isa<ImplicitValueInitExpr, CXXScalarValueInitExpr>(inner) ||
           (construction != nullptr && construction->getNumArgs() == 0) ||
           (list != nullptr && list->getNumExprs() == 0);
}

/// An allocator with a `construct(p)` of its own decides itself how an object starts.
bool constructs_itself(QualType allocator) {
    const CXXRecordDecl* record = allocator.getNonReferenceType()->getAsCXXRecordDecl();
    if (record == nullptr || !record->hasDefinition() || outermost_namespace(*record) == "std") {
        return false;
    }
    for (const Decl* member : record->getDefinition()->decls()) {
        const auto* pattern = dyn_cast<FunctionTemplateDecl>(member);
        const auto* method =
            dyn_cast<CXXMethodDecl>(pattern != nullptr ? pattern->getTemplatedDecl() : member);
        if (named(method, {"construct"}) && method->getNumParams() == 1) {
            return true;
        }
    }
    return std::any_of(record->getDefinition()->bases_begin(), record->getDefinition()->bases_end(),
                       [](const CXXBaseSpecifier& base) { return constructs_itself(base.getType()); });
}

std::optional<creation> pool_create(const CallExpr& call, const FunctionDecl& function, ASTContext& context) {
    const auto* method = dyn_cast<CXXMethodDecl>(&function);
    if (method == nullptr || call.getNumArgs() != 0 || outermost_namespace(function) != "linn" ||
        !named(method, {"create", "try_create"})) {
        return std::nullopt;
    }
    const QualType result = method->getReturnType();
    if (!result->isPointerType() || !usable(result->getPointeeType())) {
        return std::nullopt;
    }
    creation made;
    made.expression = &call;
    made.where = call.getCallee()->IgnoreImpCasts()->getExprLoc();
    set_object(made, result->getPointeeType(), context);
    made.name = "linn::" + method->getParent()->getNameAsString() + "<" + type_name(made.object, context) +
                ">::" + function.getNameAsString() + "()";
    return made;
}

} // namespace

std::optional<creation> creation_by_new(const CXXNewExpr& expression, ASTContext& context) {
    const Expr* initialiser = expression.getInitializer();
    const QualType type = expression.getAllocatedType();
    const bool braces = initialised_with_braces(expression);
    if (initialiser == nullptr || !usable(type) || !is_given_nothing(*initialiser, braces) ||
        (!braces && !initialised_with_parentheses(expression))) {
        return std::nullopt;
    }
    creation made;
    made.expression = &expression;
    made.where = expression.getBeginLoc();
    made.form = braces ? value_form::braces : value_form::parentheses;
    if (expression.isArray()) {
        const Expr* count = expression.getArraySize() ? *expression.getArraySize() : nullptr;
        if (count == nullptr) {
            return std::nullopt;
        }
        set_count(made, count, context);
    }
    set_object(made, type, context);
    made.name = "new " + type_name(made.object, context) + (expression.isArray() ? "[]" : "") +
                (braces ? "{}" : "()");
    return made;
}

std::optional<creation> creation_by_call(const CallExpr& call, ASTContext& context) {
    const FunctionDecl* function = call.getDirectCallee();
    if (function == nullptr) {
        return std::nullopt;
    }
    if (!named(function, {"make_shared", "make_unique", "allocate_shared", "make_local_shared",
                          "allocate_local_shared", "allocate_unique"})) {
        return pool_create(call, *function, context);
    }
    const std::string space = outermost_namespace(*function);
    const TemplateArgumentList* arguments = function->getTemplateSpecializationArgs();
    if (isa<CXXMethodDecl>(function) || (space != "std" && space != "boost" && space != "linn") ||
        arguments == nullptr || arguments->size() == 0 ||
        arguments->get(0).getKind() != TemplateArgument::Type) {
        return std::nullopt;
    }
    const QualType type = arguments->get(0).getAsType();
    const std::string name = function->getName().str();
    const unsigned first = name.starts_with("allocate") ? 1 : 0;
    if (call.getNumArgs() < first || type->isDependentType() ||
        (first == 1 && constructs_itself(call.getArg(0)->getType()))) {
        return std::nullopt;
    }
    creation made;
    made.expression = &call;
    const Expr* callee = call.getCallee()->IgnoreImpCasts();
    made.where = callee->getExprLoc();
    if (const auto* reference = dyn_cast<DeclRefExpr>(callee)) {
        made.where = reference->getLocation();
    }
    const unsigned given = call.getNumArgs() - first;
    if (type->isIncompleteArrayType()) {
        if (given != 1) {
            return std::nullopt;
        }
        set_count(made, call.getArg(first), context);
        set_object(made, QualType(type->getArrayElementTypeNoTypeQual(), 0), context);
    } else {
        if (given != 0) {
            return std::nullopt;
        }
        set_object(made, type, context);
    }
    if (!usable(made.object)) {
        return std::nullopt;
    }
    made.name = space + "::" + name + "<" + type_name(type, context) + ">";
    return made;
}

} // namespace clang::tidy::linn
