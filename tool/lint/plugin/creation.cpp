// SPDX-License-Identifier: Apache-2.0
#include "creation.hpp"

#include "clang/AST/DeclTemplate.h"
#include "syntax.hpp"

#include <algorithm>

namespace clang::tidy::linn {
namespace {

/// Whether braces follow: `new T{...}`; none for `new T`. Clang 18 turned the enum into a class of another name.
std::optional<bool> has_braces(const CXXNewExpr& expression) {
#if CLANG_VERSION_MAJOR >= 18
    using style = CXXNewInitializationStyle;
    constexpr style parentheses = style::Parens;
    constexpr style braces = style::Braces;
#else
    constexpr auto parentheses = CXXNewExpr::CallInit;
    constexpr auto braces = CXXNewExpr::ListInit;
#endif
    if (!expression.hasInitializer() || (expression.getInitializationStyle() != parentheses &&
                                         expression.getInitializationStyle() != braces)) {
        return std::nullopt;
    }
    return expression.getInitializationStyle() == braces;
}

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
    set_count(made, number, context);
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

/// The variable or member that an expression names; null for others.
const ValueDecl* named_by(const Expr* expression) {
    const Expr* plain = expression->IgnoreParenImpCasts();
    if (const auto* member = dyn_cast<MemberExpr>(plain)) {
        return member->getMemberDecl();
    }
    const auto* reference = dyn_cast<DeclRefExpr>(plain);
    return reference != nullptr ? reference->getDecl() : nullptr;
}

/// `encode(&v[0], v.size())`, also by way of a variable: how much of the container something wrote. To resize to that can only
/// make the container smaller.
bool is_result_of_use(const Expr& number, const Expr& container) {
    const ValueDecl* holder = named_by(&container);
    const Expr* result = &number;
    if (const auto* variable = dyn_cast_or_null<VarDecl>(named_by(&number));
        variable != nullptr && variable->hasInit()) {
        result = variable->getInit();
    }
    return holder != nullptr && any_part(result, [&](const Stmt& part) {
               const auto* call = dyn_cast<CallExpr>(&part);
               return call != nullptr &&
                      std::any_of(call->arg_begin(), call->arg_end(), [&](const Expr* argument) {
                          return any_part(argument, [&](const Stmt& one) {
                              const auto* expression = dyn_cast<Expr>(&one);
                              return expression != nullptr && named_by(expression) == holder;
                          });
                      });
           });
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
    const std::optional<bool> braces = has_braces(expression);
    if (!braces || initialiser == nullptr || !usable(type) || !is_given_nothing(*initialiser, *braces)) {
        return std::nullopt;
    }
    creation made;
    made.expression = &expression;
    made.where = expression.getBeginLoc();
    made.form = *braces ? value_form::braces : value_form::parentheses;
    if (expression.isArray()) {
        const Expr* count = expression.getArraySize() ? *expression.getArraySize() : nullptr;
        if (count == nullptr) {
            return std::nullopt;
        }
        set_count(made, count, context);
    }
    set_object(made, type, context);
    made.name = "new " + type_name(made.object, context) + (expression.isArray() ? "[]" : "") +
                (*braces ? "{}" : "()");
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
    set_object(made, made.object, context);
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
    if (resizes && is_result_of_use(*call.getArg(0), *object)) {
        return std::nullopt;
    }
    creation made;
    made.expression = &call;
    made.where_it_lies = storage::container;
    made.container = object;
    made.keeps_old = resizes;
    made.where = call.getExprLoc();
    made.object = element_type(type, context).getUnqualifiedType();
    set_count(made, call.getArg(0), context);
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
