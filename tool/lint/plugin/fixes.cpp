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
    remedy found;
    found.advice = std::string("write 'new T' without the ") +
                   (made.form == value_form::braces ? "braces" : "parentheses");
    const SourceRange range = initialiser_range(expression);
    const SourceManager& sources = context.getSourceManager();
    if (range.isInvalid() || range.getBegin().isMacroID() || range.getEnd().isMacroID() ||
        expression.getBeginLoc().isMacroID()) {
        found.obstacle = in_a_macro;
        return found;
    }
    // What was instantiated from `T(args...)` is empty here, but not in the source.
    const StringRef text =
        Lexer::getSourceText(CharSourceRange::getTokenRange(range), sources, context.getLangOpts());
    if (!text.drop_front(text.empty() ? 0 : 1).drop_back(text.size() < 2 ? 0 : 1).trim().empty()) {
        found.obstacle = "other instantiations may pass arguments";
        return found;
    }
    const auto next = Lexer::findNextToken(range.getEnd(), sources, context.getLangOpts());
    if (text.size() < 2 || !next || continues_a_type(*next)) {
        found.obstacle = "the text after it would become part of the type";
        return found;
    }
    found.edits.push_back(FixItHint::CreateRemoval(CharSourceRange::getTokenRange(range)));
    return found;
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
    remedy found;
    const FunctionDecl& function = *call.getDirectCallee();
    const std::string space = outermost_namespace(function);
    const std::string name = function.getName().str();
    const auto* reference = dyn_cast<DeclRefExpr>(call.getCallee()->IgnoreParenImpCasts());
    if (reference == nullptr || isa<CXXMethodDecl>(function)) {
        found.obstacle = "a pool has no create() without the fill";
        found.advice = "call 'allocate()' and construct with '::new (p) T'";
        return found;
    }
    const bool boost = space == "boost";
    const std::string better = name + (boost ? "_noinit" : "_for_overwrite");
    const bool unique = name.find("unique") != std::string::npos;
    const QualType type = function.getTemplateSpecializationArgs()->get(0).getAsType();
    if (boost && ((!unique && !type->isArrayType()) || name == "allocate_unique")) {
        found.obstacle = "Boost has no such function without the fill";
        found.advice = unique ? "use 'allocate_unique_noinit', which has another deleter"
                              : "use 'shared_ptr<T>(new T)' or 'std::make_shared_for_overwrite' (C++20)";
        return found;
    }
    if (!declares(function, better, context)) {
        const bool std_name = space == "std";
        found.obstacle = "'" + space + "::" + better + "' is not declared here" +
                         (std_name ? "; it needs C++20 and a standard library that has it" : "");
        found.advice =
            std::string("use '") + (unique ? "std::unique_ptr" : "std::shared_ptr") + "<T>(new T)'";
        return found;
    }
    found.advice = "use '" + space + "::" + better + "'";
    const SourceManager& sources = context.getSourceManager();
    const SourceLocation at = reference->getLocation();
    if (at.isMacroID() || reference->getBeginLoc().isMacroID()) {
        found.obstacle = in_a_macro;
        return found;
    }
    const CharSourceRange word = CharSourceRange::getTokenRange(at, at);
    if (Lexer::getSourceText(word, sources, context.getLangOpts()) != name) {
        found.obstacle = "the source calls the function by another name";
        return found;
    }
    // `using std::make_shared;` does not bring the other name with it.
    const bool by_using =
        reference->getFoundDecl() != nullptr && isa<UsingShadowDecl>(reference->getFoundDecl());
    if (by_using) {
        found.edits.push_back(FixItHint::CreateReplacement(
            CharSourceRange::getTokenRange(reference->getBeginLoc(), at), space + "::" + better));
    } else {
        found.edits.push_back(FixItHint::CreateReplacement(word, better));
    }
    return found;
}

} // namespace

remedy find_remedy(const creation& made, ASTContext& context) {
    const auto* by_new = dyn_cast<CXXNewExpr>(made.expression);
    remedy found = by_new != nullptr ? for_new(*by_new, made, context)
                                     : for_factory(*cast<CallExpr>(made.expression), context);
    if (!default_initialisable(made.object)) {
        found.edits.clear();
        found.obstacle = "the object is const, or has members that must be initialised";
        found.advice = "add a constructor that initialises no more than it must";
    }
    return found;
}

} // namespace clang::tidy::linn
