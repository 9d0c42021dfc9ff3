// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TOOL_LINT_PLUGIN_ZERO_FILL_RETURN_CHECK_HPP
#define LINN_TOOL_LINT_PLUGIN_ZERO_FILL_RETURN_CHECK_HPP

#include "clang-tidy/ClangTidyCheck.h"
#include "fill_size.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace linn_tidy {

/// `linn-zero-fill-return`: a class that is kept from being filled with zeros, and the change that brings
/// the fill back.
///
/// - A class or constructor that is marked, by `[[clang::annotate("linn::no_zero_fill")]]` or by a comment
///   `// linn: no zero fill`, and is filled all the same: its constructor was defaulted or dropped, or a
///   member got `{}`.
/// - An empty constructor in a class large enough (`HintBytes`) that its fill is its likely reason: it is not
///   marked, so the next `modernize-use-equals-default` turns it into the fill.
class zero_fill_return_check : public clang::tidy::ClangTidyCheck {
public:
    zero_fill_return_check(llvm::StringRef name, clang::tidy::ClangTidyContext* context);

    bool isLanguageVersionSupported(const clang::LangOptions& options) const override {
        return options.CPlusPlus11;
    }
    void storeOptions(clang::tidy::ClangTidyOptions::OptionMap& options) override;
    void registerMatchers(clang::ast_matchers::MatchFinder* finder) override;
    void check(const clang::ast_matchers::MatchFinder::MatchResult& result) override;
    void onEndOfTranslationUnit() override;

private:
    /// A warning, kept until all instantiations of a class template were seen.
    struct finding {
        std::string text{}; ///< with the type's name and "%1" for the bytes
        std::string type{};
        std::uint64_t bytes = 0;
        std::vector<clang::FixItHint> edits{};
        std::string advice{};
    };

    bool marked(const clang::CXXRecordDecl& record) const;
    bool marked_by_comment(clang::SourceLocation near) const;
    void look_at_constructor(const clang::CXXRecordDecl& record);
    void look_at_members(const clang::CXXRecordDecl& record, std::uint64_t enough, bool is_marked);
    void look_at_empty_constructor(const clang::CXXRecordDecl& record);
    void add(clang::SourceLocation where, finding one);

    std::uint64_t min_bytes_;
    std::uint64_t hint_bytes_;
    clang::ASTContext* context_ = nullptr;
    std::unique_ptr<fill_size> sizes_;
    std::map<clang::SourceLocation, finding> findings_;
};

} // namespace linn_tidy

#endif
