// SPDX-License-Identifier: Apache-2.0
// What fills the elements of a container, an array or an object of a function.
#include "changes.hpp"
#include "creation.hpp"
#include "syntax.hpp"

namespace clang::tidy::linn {
namespace {

/// A type whose default-initialisation does nothing at all.
bool is_plain(QualType type, const ASTContext& context) {
    if (type.isNull() || type->isDependentType() || type->isIncompleteType() || type->isReferenceType() ||
        type.isConstQualified()) {
        return false;
    }
    type = context.getBaseElementType(type);
    const CXXRecordDecl* record = type->getAsCXXRecordDecl();
    return record != nullptr ? record->hasDefinition() && record->hasTrivialDefaultConstructor() &&
                                   !record->isEmpty() && record->isTriviallyCopyable()
                             : type->isScalarType();
}

/// A vector or string that fills what it makes room for; null for others.
const CXXRecordDecl* filling_container(QualType type, const ASTContext& context) {
    const CXXRecordDecl* record = contiguous_container(type);
    if (!named(record, {"vector", "basic_string"})) {
        return nullptr;
    }
    const QualType element = element_type(type, context);
    if (!is_plain(element, context) || element->isBooleanType()) {
        return nullptr;
    }
    // Another allocator may construct as it likes.
    const auto& arguments = cast<ClassTemplateSpecializationDecl>(record)->getTemplateArgs();
    const unsigned last = arguments.size() - 1;
    const CXXRecordDecl* allocator = arguments[last].getKind() == TemplateArgument::Type
                                         ? arguments[last].getAsType()->getAsCXXRecordDecl()
                                         : nullptr;
    return named(allocator, {"allocator", "polymorphic_allocator"}) &&
                   outermost_namespace(*allocator) == "std"
               ? record
               : nullptr;
}

std::string container_name(QualType type, const ASTContext& context) {
    const CXXRecordDecl* record = contiguous_container(type);
    if (named(record, {"basic_string"})) {
        return element_type(type, context)->isCharType() ? "std::string" : "std::basic_string";
    }
    return "std::vector<" + type_name(element_type(type, context).getUnqualifiedType(), context) + ">";
}

const CXXConstructExpr* construction_of(const Expr* initialiser) {
    while (initialiser != nullptr) {
        initialiser = initialiser->IgnoreImplicit()->IgnoreParens();
        if (const auto* cast = dyn_cast<CXXFunctionalCastExpr>(initialiser)) {
            initialiser = cast->getSubExpr();
            continue;
        }
        break;
    }
    return dyn_cast_or_null<CXXConstructExpr>(initialiser);
}

/// The number of elements that a constructor of a container fills; null where it is another constructor.
const Expr* filled_number(const CXXConstructExpr* construction) {
    if (construction == nullptr || construction->getNumArgs() == 0 || construction->isListInitialization()) {
        return nullptr;
    }
    const Expr* first = construction->getArg(0);
    return first->getType()->isIntegralOrEnumerationType() && !isa<CXXDefaultArgExpr>(first) ? first
                                                                                             : nullptr;
}

std::optional<creation> by_constructor(const Expr* initialiser, QualType type, SourceLocation where,
                                       const ASTContext& context) {
    const CXXConstructExpr* construction =
        filling_container(type, context) != nullptr ? construction_of(initialiser) : nullptr;
    const Expr* number = filled_number(construction);
    if (number == nullptr || contiguous_container(construction->getType()) == nullptr) {
        return std::nullopt;
    }
    creation made;
    made.expression = construction;
    made.where_it_lies = storage::container;
    made.where = where;
    made.object = element_type(type, context).getUnqualifiedType();
    made.array = true;
    made.count_expression = number;
    made.count = constant(number, context);
    made.name = container_name(type, context) + "(n)";
    return made;
}

bool is_zero(const Expr* expression, const ASTContext& context) {
    expression = expression->IgnoreParenImpCasts();
    return constant(expression, context) == 0 || isa<CXXNullPtrLiteralExpr, GNUNullExpr>(expression);
}

/// `{}` and `{0}`: nothing but zeros.
bool is_zero_list(const Expr& initialiser, const ASTContext& context) {
    const Expr* inner = initialiser.IgnoreImplicit();
    if (const auto* construction = dyn_cast<CXXConstructExpr>(inner)) {
        return construction->getNumArgs() == 0 && construction->requiresZeroInitialization();
    }
    if (isa<ImplicitValueInitExpr, CXXScalarValueInitExpr>(inner)) {
        return true;
    }
    const auto* list = dyn_cast<InitListExpr>(inner);
    if (list == nullptr) {
        return false;
    }
    const InitListExpr* written =
        !list->isSyntacticForm() && list->getSyntacticForm() != nullptr ? list->getSyntacticForm() : list;
    for (const Expr* one : written->inits()) {
        if (isa<ImplicitValueInitExpr>(one)) {
            continue;
        }
        const auto* nested = dyn_cast<InitListExpr>(one->IgnoreImplicit());
        if (nested != nullptr ? !is_zero_list(*nested, context)
                              : !one->getType()->isScalarType() || !is_zero(one, context)) {
            return false;
        }
    }
    return written->getNumInits() <= 1;
}

} // namespace

std::optional<creation> creation_by_variable(const VarDecl& variable, ASTContext& context) {
    const QualType type = variable.getType();
    if (!variable.hasInit() || !variable.hasLocalStorage() || isa<ParmVarDecl>(variable) ||
        variable.isImplicit() || type->isReferenceType() || type->isDependentType() ||
        variable.isConstexpr() || type.isConstQualified()) {
        return std::nullopt;
    }
    if (auto made = by_constructor(variable.getInit(), type, variable.getLocation(), context)) {
        made->variable = &variable;
        return made;
    }
    const bool is_class = type->isRecordType() || type->isArrayType();
    if (!is_class || !is_plain(type, context) || !is_zero_list(*variable.getInit(), context)) {
        return std::nullopt;
    }
    creation made;
    made.expression = variable.getInit();
    made.where_it_lies = storage::local;
    made.variable = &variable;
    made.where = variable.getLocation();
    made.form = value_form::braces;
    made.object = type.getUnqualifiedType();
    if (is_std_array(type->getAsCXXRecordDecl())) {
        made.object = element_type(type, context);
        made.array = true;
        const auto each = context.getTypeSizeInChars(made.object).getQuantity();
        made.count = each != 0 ? context.getTypeSizeInChars(type).getQuantity() / each : 0;
    }
    while (const ConstantArrayType* array = context.getAsConstantArrayType(made.object)) {
        made.array = true;
        *made.count *= array->getSize().getZExtValue();
        made.object = array->getElementType();
    }
    if (made.object->isVariableArrayType()) {
        return std::nullopt;
    }
    made.name = type_name(type, context) + " " + variable.getNameAsString() + "{}";
    return made;
}

std::optional<creation> creation_by_resize(const CXXMemberCallExpr& call, ASTContext& context) {
    const CXXMethodDecl* method = call.getMethodDecl();
    const Expr* object = call.getImplicitObjectArgument();
    const bool resizes = named(method, {"resize"}) && call.getNumArgs() >= 1;
    const bool assigns = named(method, {"assign"}) && call.getNumArgs() == 2 &&
                         call.getArg(0)->getType()->isIntegralOrEnumerationType();
    if ((!resizes && !assigns) || object == nullptr) {
        return std::nullopt;
    }
    const QualType type =
        object->getType()->isPointerType() ? object->getType()->getPointeeType() : object->getType();
    if (filling_container(type, context) == nullptr) {
        return std::nullopt;
    }
    creation made;
    made.expression = &call;
    made.where_it_lies = storage::container;
    made.container = object;
    made.keeps_old = resizes;
    made.where = call.getExprLoc();
    made.object = element_type(type, context).getUnqualifiedType();
    made.array = true;
    made.count_expression = call.getArg(0);
    made.count = constant(call.getArg(0), context);
    made.name = container_name(type, context) + (resizes ? "::resize(n)" : "::assign(n, x)");
    return made;
}

std::optional<creation> creation_by_list(const CXXCtorInitializer& initialiser, ASTContext& context) {
    const FieldDecl* member =
        initialiser.isMemberInitializer() && initialiser.isWritten() ? initialiser.getMember() : nullptr;
    if (member == nullptr || member->getType()->isDependentType()) {
        return std::nullopt;
    }
    auto made =
        by_constructor(initialiser.getInit(), member->getType(), initialiser.getSourceLocation(), context);
    if (made) {
        made->member = member;
    }
    return made;
}

} // namespace clang::tidy::linn
