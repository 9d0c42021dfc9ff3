// SPDX-License-Identifier: Apache-2.0
#include "fixes.hpp"

#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "syntax.hpp"

namespace clang::tidy::linn {
namespace {

constexpr const char* in_a_macro = "a macro writes this expression";

bool leaves_const_alone(QualType type) {
    const CXXRecordDecl* record = type->getAsCXXRecordDecl();
    return record != nullptr && record->hasDefinition() && record->allowConstDefaultInit();
}

/// Of an array its element, with the array's const.
QualType element_of(QualType type) {
    while (const ArrayType* array = type->getAsArrayTypeUnsafe()) {
        type = array->getElementType();
    }
    return type;
}

/// Whether `new T` compiles where `new T()` or `new T{}` does: T{} of an aggregate needs no default
/// constructor, and a const object needs one that initialises everything.
bool default_initialisable(QualType type) {
    if (type.isConstQualified() && !leaves_const_alone(type)) {
        return false;
    }
    const CXXRecordDecl* record = type->getAsCXXRecordDecl();
    if (record == nullptr || !record->hasDefinition()) {
        return true;
    }
    for (const FieldDecl* field : record->fields()) {
        const QualType member = field->getType();
        if (!field->hasInClassInitializer() && !record->hasUserProvidedDefaultConstructor() &&
            (member->isReferenceType() || !default_initialisable(element_of(member)))) {
            return false;
        }
    }
    if (record->needsImplicitDefaultConstructor()) {
        return true;
    }
    const CXXConstructorDecl* constructor = default_constructor(*record);
    return constructor != nullptr && constructor->getAccess() == AS_public;
}

/// What could become part of the new-expression once its parentheses are gone.
bool continues_a_type(const Token& token) {
    return token.isOneOf(tok::star, tok::amp, tok::ampamp, tok::l_paren, tok::l_brace, tok::l_square,
                         tok::less, tok::coloncolon, tok::identifier, tok::raw_identifier);
}

SourceRange initialiser_range(const CXXNewExpr& expression) {
    if (expression.getDirectInitRange().isValid()) {
        return expression.getDirectInitRange();
    }
    const Expr* initialiser = expression.getInitializer()->IgnoreImplicit();
    if (const auto* construction = dyn_cast<CXXConstructExpr>(initialiser)) {
        return construction->getParenOrBraceRange();
    }
    if (const auto* list = dyn_cast<InitListExpr>(initialiser)) {
        return {list->getLBraceLoc(), list->getRBraceLoc()};
    }
    return {};
}

remedy for_new(const CXXNewExpr& expression, const creation& made, ASTContext& context) {
    const std::string advice = std::string("write 'new T' without the ") +
                               (made.form == value_form::braces ? "braces" : "parentheses");
    const SourceRange range = initialiser_range(expression);
    if (range.isInvalid() || range.getBegin().isMacroID() || range.getEnd().isMacroID() ||
        expression.getBeginLoc().isMacroID()) {
        return {{}, advice, in_a_macro};
    }
    // What was instantiated from `T(args...)` is empty here, but not in the source.
    const SourceManager& sources = context.getSourceManager();
    const auto tokens = CharSourceRange::getTokenRange(range);
    const StringRef text = Lexer::getSourceText(tokens, sources, context.getLangOpts());
    if (text.size() > 2 && !text.drop_front().drop_back().trim().empty()) {
        return {{}, advice, "other instantiations may pass arguments"};
    }
    const auto next = Lexer::findNextToken(range.getEnd(), sources, context.getLangOpts());
    if (text.size() < 2 || !next || continues_a_type(*next)) {
        return {{}, advice, "the text after it would become part of the type"};
    }
    return {{FixItHint::CreateRemoval(tokens)}, advice};
}

bool declares(const FunctionDecl& beside, const std::string& name, ASTContext& context) {
    for (const DeclContext* around = beside.getDeclContext()->getEnclosingNamespaceContext();
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
    const auto* reference = dyn_cast<DeclRefExpr>(call.getCallee()->IgnoreParenImpCasts());
    if (reference == nullptr || isa<CXXMethodDecl>(function)) {
        return {{},
                "call 'allocate()' and construct with '::new (p) T'",
                "a pool has no create() without the fill"};
    }
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

} // namespace

remedy find_remedy(const creation& made, ASTContext& context) {
    if (!default_initialisable(made.object)) {
        return {{},
                "add a constructor that initialises no more than it must",
                "the object is const, or has members that must be initialised"};
    }
    const auto* by_new = dyn_cast<CXXNewExpr>(made.expression);
    return by_new != nullptr ? for_new(*by_new, made, context)
                             : for_factory(*cast<CallExpr>(made.expression), context);
}

} // namespace clang::tidy::linn
