// SPDX-License-Identifier: Apache-2.0
#include "fixes.hpp"

#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "compat.hpp"
#include "names.hpp"

namespace linn_tidy {

namespace {

using clang::tok::TokenKind;

constexpr const char* in_a_macro = "it is written by a macro";

bool leaves_const_alone(clang::QualType type) {
    const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
    return record != nullptr && record->hasDefinition() && record->allowConstDefaultInit();
}

/// Of an array its element, with the array's const.
clang::QualType element_of(clang::QualType type) {
    while (const clang::ArrayType* array = type->getAsArrayTypeUnsafe()) {
        type = array->getElementType();
    }
    return type;
}

/// Whether `new T` compiles where `new T()` or `new T{}` does: T{} of an aggregate needs no default
/// constructor, and a const object needs one that initialises everything.
bool default_initialisable(clang::QualType type) {
    if (type.isConstQualified() && !leaves_const_alone(type)) {
        return false;
    }
    const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
    if (record == nullptr || !record->hasDefinition()) {
        return true;
    }
    for (const clang::FieldDecl* field : record->fields()) {
        const clang::QualType member = field->getType();
        if (!field->hasInClassInitializer() && !record->hasUserProvidedDefaultConstructor() &&
            (member->isReferenceType() || !default_initialisable(element_of(member)))) {
            return false;
        }
    }
    if (record->needsImplicitDefaultConstructor()) {
        return true;
    }
    for (const clang::CXXConstructorDecl* constructor : record->ctors()) {
        if (constructor->isDefaultConstructor()) {
            return !constructor->isDeleted() && constructor->getAccess() == clang::AS_public;
        }
    }
    return false;
}

/// What could become part of the new-expression once its parentheses are gone.
bool continues_a_type(TokenKind kind) {
    switch (kind) {
    case TokenKind::star:
    case TokenKind::amp:
    case TokenKind::ampamp:
    case TokenKind::l_paren:
    case TokenKind::l_brace:
    case TokenKind::l_square:
    case TokenKind::less:
    case TokenKind::coloncolon:
    case TokenKind::identifier:
        return true;
    default:
        return false;
    }
}

clang::SourceRange initialiser_range(const clang::CXXNewExpr& expression) {
    if (expression.getDirectInitRange().isValid()) {
        return expression.getDirectInitRange();
    }
    const clang::Expr* initialiser = expression.getInitializer()->IgnoreImplicit();
    if (const auto* construction = clang::dyn_cast<clang::CXXConstructExpr>(initialiser)) {
        return construction->getParenOrBraceRange();
    }
    if (const auto* list = clang::dyn_cast<clang::InitListExpr>(initialiser)) {
        return {list->getLBraceLoc(), list->getRBraceLoc()};
    }
    return {};
}

remedy for_new(const clang::CXXNewExpr& expression, const creation& made, clang::ASTContext& context) {
    remedy found;
    found.advice = "'new T' without the " +
                   std::string(made.form == value_form::braces ? "braces" : "parentheses") +
                   " leaves them alone";
    const clang::SourceRange range = initialiser_range(expression);
    const clang::SourceManager& sources = context.getSourceManager();
    if (range.isInvalid() || range.getBegin().isMacroID() || range.getEnd().isMacroID() ||
        expression.getBeginLoc().isMacroID()) {
        found.obstacle = in_a_macro;
        return found;
    }
    // What was instantiated from `T(args...)` is empty here, but not in the source.
    const llvm::StringRef text = clang::Lexer::getSourceText(clang::CharSourceRange::getTokenRange(range),
                                                             sources, context.getLangOpts());
    for (const char c : text.drop_front(text.empty() ? 0 : 1).drop_back(text.size() < 2 ? 0 : 1)) {
        if (c != ' ' && c != '\n' && c != '\t') {
            found.obstacle = "there are no arguments in this instantiation, but there may be in others";
            return found;
        }
    }
    const auto next = clang::Lexer::findNextToken(range.getEnd(), sources, context.getLangOpts());
    if (text.size() < 2 || !next || continues_a_type(next->getKind()) ||
        (next->is(clang::tok::raw_identifier))) {
        found.obstacle = "what follows would become part of the type";
        return found;
    }
    found.edits.push_back(clang::FixItHint::CreateRemoval(clang::CharSourceRange::getTokenRange(range)));
    return found;
}

bool declares(const clang::FunctionDecl& beside, const std::string& name, clang::ASTContext& context) {
    for (const clang::DeclContext* around = beside.getDeclContext()->getEnclosingNamespaceContext();
         around != nullptr; around = around->isInlineNamespace() ? around->getParent() : nullptr) {
        if (!around->lookup(clang::DeclarationName(&context.Idents.get(name))).empty()) {
            return true;
        }
    }
    return false;
}

remedy for_factory(const clang::CallExpr& call, clang::ASTContext& context) {
    remedy found;
    const clang::FunctionDecl& function = *call.getDirectCallee();
    const std::string space = outermost_namespace(function);
    const std::string name = function.getName().str();
    const auto* reference = clang::dyn_cast<clang::DeclRefExpr>(call.getCallee()->IgnoreParenImpCasts());
    if (reference == nullptr || clang::isa<clang::CXXMethodDecl>(function)) {
        found.obstacle = "a pool has no other create()";
        found.advice = "memory from 'allocate()', and '::new (p) T' in it, leaves them alone";
        return found;
    }
    const bool boost = space == "boost";
    const std::string better = name + (boost ? "_noinit" : "_for_overwrite");
    const bool unique = name.find("unique") != std::string::npos;
    const clang::QualType type = function.getTemplateSpecializationArgs()->get(0).getAsType();
    if (boost && ((!unique && !type->isArrayType()) || name == "allocate_unique")) {
        found.obstacle = "Boost has no such function for this";
        found.advice =
            unique ? "'allocate_unique_noinit' leaves them alone, and has another deleter"
                   : "'shared_ptr<T>(new T)' or 'std::make_shared_for_overwrite' (C++20) leaves them alone";
        return found;
    }
    if (!declares(function, better, context)) {
        const bool std_name = space == "std";
        found.obstacle = "'" + space + "::" + better + "' is not declared here" +
                         (std_name ? ": it needs C++20 and a library that has it" : "");
        found.advice = std::string(unique ? "'std::unique_ptr<T>(new T)'" : "'std::shared_ptr<T>(new T)'") +
                       " leaves them alone";
        return found;
    }
    found.advice = "'" + space + "::" + better + "' leaves them alone";
    const clang::SourceManager& sources = context.getSourceManager();
    const clang::SourceLocation at = reference->getLocation();
    if (at.isMacroID() || reference->getBeginLoc().isMacroID()) {
        found.obstacle = in_a_macro;
        return found;
    }
    const clang::CharSourceRange word = clang::CharSourceRange::getTokenRange(at, at);
    if (clang::Lexer::getSourceText(word, sources, context.getLangOpts()) != name) {
        found.obstacle = "the function goes by another name here";
        return found;
    }
    // `using std::make_shared;` does not bring the other name with it.
    const bool by_using =
        reference->getFoundDecl() != nullptr && clang::isa<clang::UsingShadowDecl>(reference->getFoundDecl());
    if (by_using) {
        found.edits.push_back(clang::FixItHint::CreateReplacement(
            clang::CharSourceRange::getTokenRange(reference->getBeginLoc(), at), space + "::" + better));
    } else {
        found.edits.push_back(clang::FixItHint::CreateReplacement(word, better));
    }
    return found;
}

} // namespace

remedy find_remedy(const creation& made, clang::ASTContext& context) {
    const auto* by_new = clang::dyn_cast<clang::CXXNewExpr>(made.expression);
    remedy found = by_new != nullptr ? for_new(*by_new, made, context)
                                     : for_factory(*clang::cast<clang::CallExpr>(made.expression), context);
    if (!default_initialisable(made.object)) {
        found.edits.clear();
        found.obstacle = "it is const, or has members that must be initialised";
        found.advice = "a constructor that leaves the others alone prevents the fill";
    }
    return found;
}

} // namespace linn_tidy
