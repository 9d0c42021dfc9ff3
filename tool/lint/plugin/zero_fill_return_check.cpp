// SPDX-License-Identifier: Apache-2.0
#include "zero_fill_return_check.hpp"

#include "clang/AST/Attr.h"
#include "clang/ASTMatchers/ASTMatchFinder.h"
#include "clang/ASTMatchers/ASTMatchers.h"
#include "clang/Lex/Lexer.h"
#include "syntax.hpp"

#include <algorithm>
#include <string_view>

namespace clang::tidy::linn {
namespace {

constexpr const char* mark = "linn::no_zero_fill";
constexpr const char* comment_mark = "linn: no zero fill";

bool annotated(const Decl& declaration) {
    return std::any_of(declaration.specific_attr_begin<AnnotateAttr>(),
                       declaration.specific_attr_end<AnnotateAttr>(),
                       [](const AnnotateAttr* one) { return one->getAnnotation() == mark; });
}

/// `T() {}` in the class, and nothing else.
bool empty_in_class(const CXXConstructorDecl& constructor) {
    return constructor.isUserProvided() && !constructor.isOutOfLine() && constructor.getNumParams() == 0 &&
           has_empty_body(constructor);
}

/// `{}`, `= {}`: zeros, and nothing but zeros.
bool only_zeros(const Expr& initialiser) {
    const Expr* expression = initialiser.IgnoreImplicit();
    const auto* list = dyn_cast<InitListExpr>(expression);
    return isa<ImplicitValueInitExpr>(expression) || (list != nullptr && is_empty_list(*list));
}

/// Whether the comment stands in the line of a place, or alone in the line before: at the end of code it belongs to that.
bool marked_by_comment(SourceLocation near, const SourceManager& sources) {
    near = sources.getFileLoc(near);
    if (near.isInvalid()) {
        return false;
    }
    const auto [file, offset] = sources.getDecomposedLoc(near);
    const std::string_view text{sources.getBufferData(file).data(), sources.getBufferData(file).size()};
    const std::size_t begin = text.substr(0, offset).rfind('\n') + 1;
    const std::string_view line = text.substr(begin, text.find('\n', offset) - begin);
    std::string_view above = text.substr(0, begin == 0 ? 0 : begin - 1);
    above.remove_prefix(above.rfind('\n') + 1);
    const auto is_marked = [](std::string_view in) {
        const std::size_t at = in.find(comment_mark);
        return at != std::string_view::npos && in.find("//") < at;
    };
    return is_marked(line) || (is_marked(above) && above.find("//") == above.find_first_not_of(" \t"));
}

/// A class that is kept from being filled, as an annotation or a comment on it or on its constructor says.
bool marked(const CXXRecordDecl& record, const CXXConstructorDecl* constructor,
            const SourceManager& sources) {
    return annotated(record) || marked_by_comment(record.getOuterLocStart(), sources) ||
           marked_by_comment(record.getLocation(), sources) ||
           (constructor != nullptr &&
            (annotated(*constructor) || marked_by_comment(constructor->getBeginLoc(), sources)));
}

} // namespace

zero_fill_return_check::zero_fill_return_check(StringRef name, ClangTidyContext* context)
    : fill_check(name, context),
      hint_bytes_{number_option("HintBytes", 4096)} {}

void zero_fill_return_check::storeOptions(ClangTidyOptions::OptionMap& options) {
    fill_check::storeOptions(options);
    store_number(options, "HintBytes", hint_bytes_);
}

void zero_fill_return_check::registerMatchers(ast_matchers::MatchFinder* finder) {
    using namespace ast_matchers;
    finder->addMatcher(cxxRecordDecl(isDefinition(), unless(isExpansionInSystemHeader())).bind("class"),
                       this);
}

void zero_fill_return_check::check(const ast_matchers::MatchFinder::MatchResult& result) {
    const auto* record = result.Nodes.getNodeAs<CXXRecordDecl>("class");
    if (record == nullptr || record->isDependentContext() || record->isLambda() || record->isImplicit() ||
        record->isInvalidDecl() || record->isUnion() || !record->isCompleteDefinition()) {
        return;
    }
    begin(*result.Context);
    const CXXConstructorDecl* constructor = default_constructor(*record);
    if (constructor != nullptr && constructor->isImplicit()) {
        constructor = nullptr;
    }
    if (marked(*record, constructor, *result.SourceManager)) {
        look_at_marked(*record, constructor);
        look_at_members(*record, min_bytes(), true);
    } else if (constructor != nullptr && empty_in_class(*constructor)) {
        look_at_empty_constructor(*record, *constructor);
        look_at_members(*record, hint_bytes_, false);
    }
}

void zero_fill_return_check::look_at_marked(const CXXRecordDecl& record,
                                            const CXXConstructorDecl* constructor) {
    const std::uint64_t bytes = sizes().filled(QualType(record.getTypeForDecl(), 0), value_form::parentheses);
    if (bytes < min_bytes()) {
        return;
    }
    const std::string type = type_name(QualType(record.getTypeForDecl(), 0), context());
    const std::string text = "'" + type + "' is marked 'no zero fill', but ";
    const std::string effect = ": '" + type + "()' would fill " + bytes_text(bytes) + " with zeros";
    if (constructor == nullptr) {
        add(record.getLocation(), type + "()", bytes, text + "has no constructor of its own" + effect,
            "add an empty constructor: '" + record.getNameAsString() + "() {}'");
        return;
    }
    std::vector<FixItHint> edits;
    // The range of a defaulted constructor ends with `default`.
    const SourceManager& sources = context().getSourceManager();
    const FunctionTypeLoc written = constructor->getFunctionTypeLoc();
    const SourceLocation close = written ? written.getRParenLoc() : SourceLocation{};
    const SourceLocation last = constructor->getDefaultLoc();
    if (close.isValid() && last.isValid() && !close.isMacroID() && !last.isMacroID()) {
        const SourceLocation from = Lexer::getLocForEndOfToken(close, 0, sources, getLangOpts());
        const CharSourceRange tail = CharSourceRange::getTokenRange(from, last);
        const std::size_t equals = Lexer::getSourceText(tail, sources, getLangOpts()).rfind('=');
        const auto end = Lexer::findLocationAfterToken(last, tok::semi, sources, getLangOpts(), false);
        if (equals != StringRef::npos && end.isValid()) {
            const SourceLocation start = from.getLocWithOffset(static_cast<int>(equals));
            edits.push_back(FixItHint::CreateReplacement(CharSourceRange::getCharRange(start, end), "{}"));
        }
    }
    add(constructor->getLocation(), type + "()", bytes, text + "its constructor is defaulted" + effect,
        "write '{}' in place of '= default'", std::move(edits));
}

void zero_fill_return_check::look_at_members(const CXXRecordDecl& record, std::uint64_t enough,
                                             bool is_marked) {
    const SourceManager& sources = context().getSourceManager();
    const std::string type = type_name(QualType(record.getTypeForDecl(), 0), context());
    for (const FieldDecl* field : record.fields()) {
        const Expr* initialiser = field->hasInClassInitializer() ? field->getInClassInitializer() : nullptr;
        if (initialiser == nullptr || !only_zeros(*initialiser)) {
            continue;
        }
        const std::uint64_t bytes = sizes().filled(field->getType(), value_form::braces);
        if (bytes < enough) {
            continue;
        }
        std::vector<FixItHint> edits;
        const SourceLocation type_end = field->getTypeSourceInfo()->getTypeLoc().getEndLoc();
        const SourceLocation name = field->getLocation();
        const SourceLocation last = initialiser->getEndLoc();
        const SourceLocation declarator = sources.isBeforeInTranslationUnit(name, type_end) ? type_end : name;
        if (is_marked && !declarator.isMacroID() && !last.isMacroID() && last.isValid()) {
            const SourceLocation from = Lexer::getLocForEndOfToken(declarator, 0, sources, getLangOpts());
            edits.push_back(FixItHint::CreateRemoval(CharSourceRange::getTokenRange(from, last)));
        }
        add(name, type + "::" + field->getNameAsString(), bytes,
            (is_marked ? "'" + type + "' is marked 'no zero fill'"
                       : "the empty constructor of '" + type + "' does not fill its members") +
                ", but this initialiser would fill " + bytes_text(bytes) + " with zeros",
            "remove the initialiser", std::move(edits));
    }
}

void zero_fill_return_check::look_at_empty_constructor(const CXXRecordDecl& record,
                                                       const CXXConstructorDecl& constructor) {
    const std::uint64_t bytes = sizes().filled_if_defaulted(record);
    if (bytes < hint_bytes_) {
        return;
    }
    const std::string type = type_name(QualType(record.getTypeForDecl(), 0), context());
    std::vector<FixItHint> edits;
    const SourceLocation begin = constructor.getBeginLoc();
    if (!begin.isMacroID()) {
        const SourceManager& sources = context().getSourceManager();
        const auto [file, offset] = sources.getDecomposedLoc(begin);
        const std::string before = sources.getBufferData(file).substr(0, offset).str();
        const std::string indent = before.substr(before.rfind('\n') + 1);
        if (indent.find_first_not_of(" \t") == std::string::npos) {
            edits.push_back(FixItHint::CreateInsertion(
                begin, "// NOLINTNEXTLINE(modernize-use-equals-default): linn: no zero fill\n" + indent));
        }
    }
    add(constructor.getLocation(), type + "()", bytes,
        "the empty constructor of '" + type + "' prevents a fill without saying so: with '= default' '" +
            type + "()' would fill " + bytes_text(bytes) + " with zeros",
        "say so in a comment 'linn: no zero fill', with a NOLINT for modernize-use-equals-default; "
        "static_assert(!linn::value_initialization_fills<" +
            type + ">) lets the compiler check it",
        std::move(edits));
}

void zero_fill_return_check::add(SourceLocation where, std::string what, std::uint64_t bytes,
                                 std::string text, std::string advice, std::vector<FixItHint> edits) {
    finding& known = findings_[where];
    if (bytes <= known.bytes) {
        return;
    }
    known = {};
    known.where = where;
    known.what = std::move(what);
    known.bytes = bytes;
    known.after_a_change = true;
    known.text = std::move(text);
    known.edits = std::move(edits);
    known.notes.push_back({note_kind::advice, where, std::move(advice)});
}

void zero_fill_return_check::onEndOfTranslationUnit() {
    for (const auto& [where, one] : findings_) {
        report(one);
    }
    findings_.clear();
    end();
}

} // namespace clang::tidy::linn
