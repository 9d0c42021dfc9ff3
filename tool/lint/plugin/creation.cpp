// SPDX-License-Identifier: Apache-2.0
#include "analysis.hpp"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

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

/// An allocator that is not the library's may construct as it likes.
bool is_library_allocator(QualType type) {
    const CXXRecordDecl* record = type.getNonReferenceType()->getAsCXXRecordDecl();
    return record != nullptr && named(record, {"allocator", "polymorphic_allocator"});
}

/// A type whose default-initialisation does nothing at all.
bool is_plain(QualType type, const ASTContext& context) {
    if (!usable(type) || type.isConstQualified()) {
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
    const auto& arguments = cast<ClassTemplateSpecializationDecl>(record)->getTemplateArgs();
    const TemplateArgument& last = arguments[arguments.size() - 1];
    return last.getKind() == TemplateArgument::Type && is_library_allocator(last.getAsType()) ? record
                                                                                              : nullptr;
}

std::string container_name(QualType type, const ASTContext& context) {
    const CXXRecordDecl* record = contiguous_container(type);
    if (named(record, {"basic_string"})) {
        return element_type(type, context)->isCharType() ? "std::string" : "std::basic_string";
    }
    return "std::vector<" + type_name(element_type(type, context).getUnqualifiedType(), context) + ">";
}

std::optional<creation> by_constructor(const VarDecl& variable, const ASTContext& context) {
    const Expr* plain = variable.getInit()->IgnoreUnlessSpelledInSource();
    const auto* cast = dyn_cast<CXXFunctionalCastExpr>(plain);
    plain = cast != nullptr ? cast->getSubExpr()->IgnoreImplicit() : plain;
    const auto* construction = dyn_cast<CXXConstructExpr>(plain);
    if (construction == nullptr || construction->getNumArgs() == 0 || construction->isListInitialization() ||
        filling_container(variable.getType(), context) == nullptr ||
        contiguous_container(construction->getType()) == nullptr) {
        return std::nullopt;
    }
    const Expr* number = construction->getArg(0);
    if (!number->getType()->isIntegralOrEnumerationType() || isa<CXXDefaultArgExpr>(number)) {
        return std::nullopt;
    }
    creation made;
    made.expression = construction;
    made.variable = &variable;
    made.where_it_lies = storage::container;
    made.where = variable.getLocation();
    made.object = element_type(variable.getType(), context).getUnqualifiedType();
    set_count(made, number, context);
    made.name = container_name(variable.getType(), context) + "(n)";
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
    const InitListExpr* syntactic = list->isSyntacticForm() ? list : list->getSyntacticForm();
    const InitListExpr& written = syntactic != nullptr ? *syntactic : *list;
    return written.getNumInits() == 0 || (written.getNumInits() == 1 && is_zero(written.getInit(0), context));
}

/// `encode(&v[0], v.size())`, also by way of a variable: how much of the container something wrote. To resize to that can only
/// make the container smaller.
bool is_result_of_use(const Expr& number, const Expr& container) {
    const Decl* holder = container.getReferencedDeclOfCallee();
    const Expr* result = &number;
    if (const auto* variable = dyn_cast_or_null<VarDecl>(number.getReferencedDeclOfCallee());
        variable != nullptr && variable->hasInit()) {
        result = variable->getInit();
    }
    return holder != nullptr && any_part(result, [&](const Stmt& part) {
               const auto* call = dyn_cast<CallExpr>(&part);
               return call != nullptr &&
                      std::any_of(call->arg_begin(), call->arg_end(), [&](const Expr* argument) {
                          return any_part(argument, [&](const Stmt& one) {
                              const auto* expression = dyn_cast<Expr>(&one);
                              return expression != nullptr &&
                                     expression->getReferencedDeclOfCallee() == holder;
                          });
                      });
           });
}

constexpr const char* in_a_macro = "a macro writes this expression";
constexpr const char* in_constant_code =
    "this code may run at compile time, which must not read uninitialised memory";

bool declares(const FunctionDecl& sibling, const std::string& name, ASTContext& context) {
    for (const DeclContext* around = sibling.getDeclContext()->getEnclosingNamespaceContext();
         around != nullptr; around = around->isInlineNamespace() ? around->getParent() : nullptr) {
        if (!around->lookup(DeclarationName(&context.Idents.get(name))).empty()) {
            return true;
        }
    }
    return false;
}

remedy for_factory(const CallExpr& call, ASTContext& context) {
    const FunctionDecl& function = *call.getDirectCallee();
    const std::string space = outermost_namespace(function);
    const std::string name = function.getName().str();
    const auto* reference = cast<DeclRefExpr>(call.getCallee()->IgnoreParenImpCasts());
    const bool boost = space == "boost";
    const std::string better = name + (boost ? "_noinit" : "_for_overwrite");
    const bool unique = name.find("unique") != std::string::npos;
    const QualType type = function.getTemplateSpecializationArgs()->get(0).getAsType();
    if (boost && ((!unique && !type->isArrayType()) || name == "allocate_unique")) {
        return {{},
                unique ? "use 'allocate_unique_noinit', which has another deleter"
                       : "use 'shared_ptr<T>(new T)' or 'std::make_shared_for_overwrite' (C++20)",
                "Boost has no such function without the fill"};
    }
    if (!declares(function, better, context)) {
        return {{},
                std::string("use '") + (unique ? "std::unique_ptr" : "std::shared_ptr") + "<T>(new T)'",
                "'" + space + "::" + better + "' is not declared here" +
                    (space == "std" ? "; it needs C++20 and a standard library that has it" : "")};
    }
    const std::string advice = "use '" + space + "::" + better + "'";
    const SourceLocation at = reference->getLocation();
    if (at.isMacroID() || reference->getBeginLoc().isMacroID()) {
        return {{}, advice, in_a_macro};
    }
    const CharSourceRange word = CharSourceRange::getTokenRange(at, at);
    if (Lexer::getSourceText(word, context.getSourceManager(), context.getLangOpts()) != name) {
        return {{}, advice, "the source calls the function by another name"};
    }
    // `using std::make_shared;` does not bring the other name with it.
    if (reference->getFoundDecl() != nullptr && isa<UsingShadowDecl>(reference->getFoundDecl())) {
        const auto whole = CharSourceRange::getTokenRange(reference->getBeginLoc(), at);
        return {{FixItHint::CreateReplacement(whole, space + "::" + better)}, advice};
    }
    return {{FixItHint::CreateReplacement(word, better)}, advice};
}

/// `= {}`, `{}` and `= {0}` behind a declared name.
remedy without_initialiser(const VarDecl& variable, const FunctionDecl& function, ASTContext& context) {
    const std::string advice = "drop the initialiser";
    const SourceManager& sources = context.getSourceManager();
    const TypeSourceInfo* written = variable.getTypeSourceInfo();
    SourceLocation before = variable.getLocation();
    if (written != nullptr && written->getType()->isArrayType()) {
        before = written->getTypeLoc().getEndLoc();
    }
    const SourceLocation last = variable.getInit()->getEndLoc();
    if (before.isMacroID() || last.isMacroID() || before.isInvalid() || last.isInvalid()) {
        return {{}, advice, in_a_macro};
    }
    if (function.isConstexpr()) {
        return {{}, advice, in_constant_code};
    }
    const SourceLocation from = Lexer::getLocForEndOfToken(before, 0, sources, context.getLangOpts());
    const SourceLocation to = Lexer::getLocForEndOfToken(last, 0, sources, context.getLangOpts());
    if (from.isInvalid() || to.isInvalid() || !sources.isBeforeInTranslationUnit(from, to)) {
        return {{}, advice, in_a_macro};
    }
    const CharSourceRange range = CharSourceRange::getCharRange(from, to);
    const StringRef text = Lexer::getSourceText(range, sources, context.getLangOpts()).trim();
    if (!text.starts_with("=") && !text.starts_with("{")) {
        return {{}, advice, "its text is not that of a plain initialiser"};
    }
    return {{FixItHint::CreateRemoval(range)}, advice};
}

} // namespace

std::optional<creation> creation_by_call(const CallExpr& call, ASTContext& context) {
    const FunctionDecl* function = call.getDirectCallee();
    if (!named(function, {"make_shared", "make_unique", "allocate_shared", "make_local_shared",
                          "allocate_local_shared", "allocate_unique"})) {
        return std::nullopt;
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
        (first == 1 && !is_library_allocator(call.getArg(0)->getType()))) {
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
    if (auto made = by_constructor(variable, context)) {
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
    made.object = type.getUnqualifiedType();
    if (is_std_array(type->getAsCXXRecordDecl())) {
        made.object = element_type(type, context);
        made.array = true;
        const auto each = size_of(made.object, context);
        made.count = each != 0 ? size_of(type, context) / each : 0;
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
    if (filling_container(type, context) == nullptr ||
        (resizes && is_result_of_use(*call.getArg(0), *object))) {
        return std::nullopt;
    }
    creation made;
    made.expression = &call;
    made.where_it_lies = storage::container;
    made.container = object;
    made.where = call.getExprLoc();
    made.object = element_type(type, context).getUnqualifiedType();
    set_count(made, call.getArg(0), context);
    made.name = container_name(type, context) + (resizes ? "::resize(n)" : "::assign(n, x)");
    return made;
}

remedy remedy_of_overwritten(const creation& made, const FunctionDecl& function, ASTContext& context) {
    if (made.where_it_lies == storage::local) {
        return without_initialiser(*made.variable, function, context);
    }
    const LangOptions& language = context.getLangOpts();
    const std::string type = type_name(made.object, context);
    // What the file's own standard has comes without a remark.
    const std::string in20 = language.CPlusPlus20 ? "" : " (C++20)";
    const std::string array = language.CPlusPlus20 ? "'std::make_unique_for_overwrite<" + type + "[]>(n)'"
                                                   : "'std::unique_ptr<" + type + "[]>(new " + type + "[n])'";
    if (made.name.find("string") != std::string::npos) {
        return {{},
                std::string("use 'resize_and_overwrite'") + (language.CPlusPlus23 ? "" : " (C++23)") +
                    ", or " + array,
                "a std::string of that length is filled first"};
    }
    std::string advice = "use 'std::vector<" + type + ", linn::default_init_allocator<" + type + ">>'" + in20;
    if (made.variable != nullptr) {
        advice += ", " + array;
    }
    return {{}, advice + ", or 'reserve' and 'push_back'", "the type of the container changes"};
}

remedy find_remedy(const creation& made, const FunctionDecl* function, ASTContext& context) {
    if (made.object.isConstQualified()) {
        return {{}, "add a constructor that initialises no more than it must", "the object is const"};
    }
    remedy cure = for_factory(*cast<CallExpr>(made.expression), context);
    if (function != nullptr && function->isConstexpr()) {
        cure = {{}, cure.advice, in_constant_code};
    }
    return cure;
}

} // namespace clang::tidy::linn
