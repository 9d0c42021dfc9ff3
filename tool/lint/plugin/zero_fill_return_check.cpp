// SPDX-License-Identifier: Apache-2.0
#include "zero_fill_return_check.hpp"

#include "clang/AST/Attr.h"
#include "clang/ASTMatchers/ASTMatchFinder.h"
#include "clang/ASTMatchers/ASTMatchers.h"
#include "clang/Lex/Lexer.h"
#include "compat.hpp"
#include "names.hpp"

#include <algorithm>

namespace linn_tidy {

namespace {

constexpr const char* mark = "linn::no_zero_fill";
constexpr const char* comment_mark = "linn: no zero fill";

bool annotated(const clang::Decl& declaration) {
    return std::any_of(declaration.specific_attr_begin<clang::AnnotateAttr>(),
                       declaration.specific_attr_end<clang::AnnotateAttr>(),
                       [](const clang::AnnotateAttr* one) { return one->getAnnotation() == mark; });
}

const clang::CXXConstructorDecl* declared_default_constructor(const clang::CXXRecordDecl& record) {
    for (const clang::CXXConstructorDecl* constructor : record.ctors()) {
        if (constructor->isDefaultConstructor() && !constructor->isImplicit()) {
            return constructor;
        }
    }
    return nullptr;
}

/// `T() {}` in the class, and nothing else.
bool empty_in_class(const clang::CXXConstructorDecl& constructor) {
    const auto* body = clang::dyn_cast_or_null<clang::CompoundStmt>(constructor.getBody());
    if (!constructor.isUserProvided() || constructor.isOutOfLine() || body == nullptr ||
        !body->body_empty() || constructor.getNumParams() != 0) {
        return false;
    }
    return std::none_of(constructor.init_begin(), constructor.init_end(),
                        [](const clang::CXXCtorInitializer* one) { return one->isWritten(); });
}

/// `{}`, `= {}`: zeros, and nothing but zeros.
bool only_zeros(const clang::Expr& initialiser) {
    const clang::Expr* expression = initialiser.IgnoreImplicit();
    if (clang::isa<clang::ImplicitValueInitExpr>(expression)) {
        return true;
    }
    const auto* list = clang::dyn_cast<clang::InitListExpr>(expression);
    if (list == nullptr) {
        return false;
    }
    const clang::InitListExpr* written = list->isSyntacticForm() ? list : list->getSyntacticForm();
    return (written != nullptr ? written : list)->getNumInits() == 0;
}

} // namespace

zero_fill_return_check::zero_fill_return_check(llvm::StringRef name, clang::tidy::ClangTidyContext* context)
    : ClangTidyCheck(name, context),
      min_bytes_{number_option(Options, "MinBytes", 64)},
      hint_bytes_{number_option(Options, "HintBytes", 4096)} {}

void zero_fill_return_check::storeOptions(clang::tidy::ClangTidyOptions::OptionMap& options) {
    store_number(Options, options, "MinBytes", min_bytes_);
    store_number(Options, options, "HintBytes", hint_bytes_);
}

void zero_fill_return_check::registerMatchers(clang::ast_matchers::MatchFinder* finder) {
    using namespace clang::ast_matchers;
    finder->addMatcher(cxxRecordDecl(isDefinition(), unless(isExpansionInSystemHeader())).bind("class"),
                       this);
}

bool zero_fill_return_check::marked_by_comment(clang::SourceLocation near) const {
    const clang::SourceManager& sources = context_->getSourceManager();
    near = sources.getFileLoc(near);
    if (near.isInvalid()) {
        return false;
    }
    const auto [file, offset] = sources.getDecomposedLoc(near);
    const std::string text = sources.getBufferData(file).str();
    const auto has_mark = [&](std::size_t begin, std::size_t end, bool only_comment) {
        const std::string line = text.substr(begin, end - begin);
        const std::size_t at = line.find(comment_mark);
        const std::size_t first = line.find_first_not_of(" \t");
        const std::size_t comment = line.find("//");
        return at != std::string::npos && comment < at && (!only_comment || comment == first);
    };
    const std::size_t line_break = offset == 0 ? std::string::npos : text.rfind('\n', offset - 1);
    const std::size_t begin = line_break == std::string::npos ? 0 : line_break + 1;
    if (has_mark(begin, std::min(text.find('\n', offset), text.size()), false)) {
        return true;
    }
    if (line_break == std::string::npos) {
        return false;
    }
    // The line before, where it is nothing but a comment: at the end of code it belongs to that.
    const std::size_t before = line_break == 0 ? std::string::npos : text.rfind('\n', line_break - 1);
    return has_mark(before == std::string::npos ? 0 : before + 1, line_break, true);
}

bool zero_fill_return_check::marked(const clang::CXXRecordDecl& record) const {
    if (annotated(record) || marked_by_comment(record.getOuterLocStart()) ||
        marked_by_comment(record.getLocation())) {
        return true;
    }
    const clang::CXXConstructorDecl* constructor = declared_default_constructor(record);
    return constructor != nullptr &&
           (annotated(*constructor) || marked_by_comment(constructor->getBeginLoc()));
}

void zero_fill_return_check::check(const clang::ast_matchers::MatchFinder::MatchResult& result) {
    const auto* record = result.Nodes.getNodeAs<clang::CXXRecordDecl>("class");
    if (record == nullptr || record->isDependentContext() || record->isLambda() || record->isImplicit() ||
        record->isInvalidDecl() || record->isUnion() || !record->isCompleteDefinition()) {
        return;
    }
    context_ = result.Context;
    if (!sizes_) {
        sizes_ = std::make_unique<fill_size>(*context_);
    }
    const clang::CXXConstructorDecl* constructor = declared_default_constructor(*record);
    if (marked(*record)) {
        look_at_constructor(*record);
        look_at_members(*record, min_bytes_, true);
    } else if (constructor != nullptr && empty_in_class(*constructor)) {
        look_at_empty_constructor(*record);
        look_at_members(*record, hint_bytes_, false);
    }
}

void zero_fill_return_check::look_at_constructor(const clang::CXXRecordDecl& record) {
    const std::uint64_t bytes =
        sizes_->filled(clang::QualType(record.getTypeForDecl(), 0), value_form::parentheses);
    if (bytes < min_bytes_) {
        return;
    }
    finding one;
    one.type = type_name(clang::QualType(record.getTypeForDecl(), 0), *context_);
    one.bytes = bytes;
    const clang::CXXConstructorDecl* constructor = declared_default_constructor(record);
    if (constructor == nullptr) {
        one.text = "'%0' is marked as never filled, but has no constructor of its own: '%0()' would write %1 "
                   "bytes of "
                   "zeros";
        one.advice = "an empty constructor, '" + record.getNameAsString() + "() {}', prevents it";
        add(record.getLocation(), std::move(one));
        return;
    }
    one.text =
        "'%0' is marked as never filled, but its constructor is defaulted: '%0()' would write %1 bytes of "
        "zeros";
    one.advice = "'{}' in place of '= default' prevents it";
    // The range of a defaulted constructor ends with `default`.
    const clang::SourceManager& sources = context_->getSourceManager();
    const clang::SourceLocation close = constructor->getFunctionTypeLoc()
                                            ? constructor->getFunctionTypeLoc().getRParenLoc()
                                            : clang::SourceLocation{};
    const clang::SourceLocation last = constructor->getDefaultLoc();
    if (close.isValid() && last.isValid() && !close.isMacroID() && !last.isMacroID()) {
        clang::SourceLocation from =
            clang::Lexer::getLocForEndOfToken(close, 0, sources, context_->getLangOpts());
        const clang::CharSourceRange tail = clang::CharSourceRange::getTokenRange(from, last);
        const std::string text = clang::Lexer::getSourceText(tail, sources, context_->getLangOpts()).str();
        const std::size_t equals = text.rfind('=');
        const auto end = clang::Lexer::findLocationAfterToken(last, clang::tok::semi, sources,
                                                              context_->getLangOpts(), false);
        if (equals != std::string::npos && end.isValid()) {
            from = from.getLocWithOffset(static_cast<int>(equals));
            one.edits.push_back(
                clang::FixItHint::CreateReplacement(clang::CharSourceRange::getCharRange(from, end), "{}"));
        }
    }
    add(constructor->getLocation(), std::move(one));
}

void zero_fill_return_check::look_at_members(const clang::CXXRecordDecl& record, std::uint64_t enough,
                                             bool is_marked) {
    const clang::SourceManager& sources = context_->getSourceManager();
    for (const clang::FieldDecl* field : record.fields()) {
        const clang::Expr* initialiser =
            field->hasInClassInitializer() ? field->getInClassInitializer() : nullptr;
        if (initialiser == nullptr || !only_zeros(*initialiser)) {
            continue;
        }
        const std::uint64_t bytes = sizes_->filled(field->getType(), value_form::braces);
        if (bytes < enough) {
            continue;
        }
        finding one;
        one.type = type_name(clang::QualType(record.getTypeForDecl(), 0), *context_);
        one.bytes = bytes;
        one.text = is_marked
                       ? "'%0' is marked as never filled, but this initialiser would write %1 bytes of zeros"
                       : "the empty constructor of '%0' leaves its members alone, but this initialiser would "
                         "write %1 bytes of zeros";
        one.advice = "without the initialiser they are left alone";
        const clang::SourceLocation type_end = field->getTypeSourceInfo()->getTypeLoc().getEndLoc();
        const clang::SourceLocation name = field->getLocation();
        const clang::SourceLocation last = initialiser->getEndLoc();
        const clang::SourceLocation declarator =
            sources.isBeforeInTranslationUnit(name, type_end) ? type_end : name;
        if (is_marked && !declarator.isMacroID() && !last.isMacroID() && last.isValid()) {
            const clang::SourceLocation from =
                clang::Lexer::getLocForEndOfToken(declarator, 0, sources, context_->getLangOpts());
            one.edits.push_back(
                clang::FixItHint::CreateRemoval(clang::CharSourceRange::getTokenRange(from, last)));
        }
        add(field->getLocation(), std::move(one));
    }
}

void zero_fill_return_check::look_at_empty_constructor(const clang::CXXRecordDecl& record) {
    const clang::CXXConstructorDecl& constructor = *declared_default_constructor(record);
    const clang::SourceManager& sources = context_->getSourceManager();
    const std::uint64_t bytes = sizes_->filled_if_defaulted(record);
    if (bytes < hint_bytes_) {
        return;
    }
    finding one;
    one.type = type_name(clang::QualType(record.getTypeForDecl(), 0), *context_);
    one.bytes = bytes;
    one.text =
        "the empty constructor of '%0' prevents a fill, but does not say so: with '= default' in its place "
        "'%0()' would write %1 bytes of zeros";
    one.advice =
        std::string("a comment 'linn: no zero fill' says so to readers and to this check, and 'NOLINT' to "
                    "modernize-use-equals-default; static_assert(!linn::value_initialization_fills<") +
        one.type + ">) says so to the compiler";
    const clang::SourceLocation begin = constructor.getBeginLoc();
    if (!begin.isMacroID()) {
        const auto [file, offset] = sources.getDecomposedLoc(begin);
        const std::string text = sources.getBufferData(file).substr(0, offset).str();
        const std::size_t line = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
        const std::string indent = text.substr(line);
        if (indent.find_first_not_of(" \t") == std::string::npos) {
            one.edits.push_back(clang::FixItHint::CreateInsertion(
                begin, "// NOLINTNEXTLINE(modernize-use-equals-default): linn: no zero fill\n" + indent));
        }
    }
    add(constructor.getLocation(), std::move(one));
}

void zero_fill_return_check::add(clang::SourceLocation where, finding one) {
    finding& known = findings_[where];
    if (one.bytes > known.bytes) {
        known = std::move(one);
    }
}

void zero_fill_return_check::onEndOfTranslationUnit() {
    for (const auto& [where, one] : findings_) {
        {
            auto warning = diag(where, one.text);
            warning << one.type << std::to_string(one.bytes);
            for (const clang::FixItHint& edit : one.edits) {
                warning << edit;
            }
        }
        diag(where, "%0", clang::DiagnosticIDs::Note) << one.advice;
    }
    findings_.clear();
    sizes_.reset();
}

} // namespace linn_tidy
