// SPDX-License-Identifier: Apache-2.0
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "creation.hpp"
#include "syntax.hpp"

namespace clang::tidy::linn {
namespace {

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
