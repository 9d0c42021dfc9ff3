// SPDX-License-Identifier: Apache-2.0
#include "creation.hpp"

#include "clang/AST/DeclTemplate.h"
#include "compat.hpp"
#include "names.hpp"

#include <array>
#include <string_view>

namespace clang::tidy::linn {

namespace {

constexpr std::array<std::string_view, 6> factories{"make_shared",           "make_unique",
                                                    "allocate_shared",       "make_local_shared",
                                                    "allocate_local_shared", "allocate_unique"};

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

/// The value of an expression, where it is known before the program runs.
std::optional<std::uint64_t> constant(const Expr* expression, ASTContext& context) {
    if (expression == nullptr || expression->isValueDependent()) {
        return std::nullopt;
    }
    Expr::EvalResult result;
    if (!expression->EvaluateAsInt(result, context)) {
        return std::nullopt;
    }
    const llvm::APSInt& value = result.Val.getInt();
    if (value.isNegative() || value.getActiveBits() > 62) {
        return std::nullopt;
    }
    return value.getZExtValue();
}

void set_count(creation& made, const Expr* count, ASTContext& context) {
    made.array = true;
    made.count_expression = count;
    made.count = constant(count, context);
}

bool nothing_between_braces(const Expr& initialiser) {
    if (const auto* list = dyn_cast<InitListExpr>(&initialiser)) {
        const InitListExpr* written = list->isSyntacticForm() ? list : list->getSyntacticForm();
        return (written != nullptr ? written : list)->getNumInits() == 0;
    }
    const auto* construction = dyn_cast<CXXConstructExpr>(&initialiser);
    return construction != nullptr && construction->getNumArgs() == 0;
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
        if (method != nullptr && method->getDeclName().isIdentifier() && method->getName() == "construct" &&
            method->getNumParams() == 1) {
            return true;
        }
    }
    for (const CXXBaseSpecifier& base : record->getDefinition()->bases()) {
        if (constructs_itself(base.getType())) {
            return true;
        }
    }
    return false;
}

std::optional<creation> pool_create(const CallExpr& call, const FunctionDecl& function, ASTContext& context) {
    const auto* method = dyn_cast<CXXMethodDecl>(&function);
    if (method == nullptr || call.getNumArgs() != 0 || outermost_namespace(function) != "linn" ||
        (function.getName() != "create" && function.getName() != "try_create")) {
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
    if (initialiser == nullptr || !usable(type)) {
        return std::nullopt;
    }
    creation made;
    const bool braces = initialised_with_braces(expression);
    if (braces ? !nothing_between_braces(*initialiser->IgnoreImplicit()) : false) {
        return std::nullopt;
    }
    if (!braces) {
        // `()`: nothing was given, and the initialiser is what the compiler made of it.
        const Expr* inner = initialiser->IgnoreImplicit();
        const auto* construction = dyn_cast<CXXConstructExpr>(inner);
        const auto* list = dyn_cast<ParenListExpr>(inner);
        const bool nothing = isa<ImplicitValueInitExpr>(inner) || isa<CXXScalarValueInitExpr>(inner) ||
                             (construction != nullptr && construction->getNumArgs() == 0) ||
                             (list != nullptr && list->getNumExprs() == 0);
        if (!initialised_with_parentheses(expression) || !nothing) {
            return std::nullopt;
        }
    }
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
    if (function == nullptr || !function->getDeclName().isIdentifier()) {
        return std::nullopt;
    }
    const StringRef name = function->getName();
    bool factory = false;
    for (const std::string_view one : factories) {
        factory = factory || name == StringRef(one.data(), one.size());
    }
    if (!factory) {
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
    const unsigned first = name.str().starts_with("allocate") ? 1 : 0;
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
    made.name = space + "::" + name.str() + "<" + type_name(type, context) + ">";
    return made;
}

} // namespace clang::tidy::linn
