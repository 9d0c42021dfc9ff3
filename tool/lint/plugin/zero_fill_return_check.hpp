// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fill_check.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace clang::tidy::linn {

/// `linn-zero-fill-return`: a class that is kept from being filled with zeros, and the change that brings
/// the fill back.
///
/// - A class or constructor that is marked, by `[[clang::annotate("linn::no_zero_fill")]]` or by a comment
///   `// linn: no zero fill`, and is filled all the same: its constructor was defaulted or dropped, or a
///   member got `{}`.
/// - An empty constructor in a class large enough (`HintBytes`) that its fill is its likely reason: it is not
///   marked, so the next `modernize-use-equals-default` turns it into the fill.
class zero_fill_return_check : public fill_check {
public:
    zero_fill_return_check(StringRef name, ClangTidyContext* context);

    void storeOptions(ClangTidyOptions::OptionMap& options) override;
    void registerMatchers(ast_matchers::MatchFinder* finder) override;
    void check(const ast_matchers::MatchFinder::MatchResult& result) override;
    void onEndOfTranslationUnit() override;

private:
    void look_at_marked(const CXXRecordDecl& record, const CXXConstructorDecl* constructor);
    void look_at_members(const CXXRecordDecl& record, std::uint64_t enough, bool is_marked);
    void look_at_empty_constructor(const CXXRecordDecl& record, const CXXConstructorDecl& constructor);
    /// Kept until all instantiations of a class template were seen: the largest is reported.
    void add(SourceLocation where, std::string what, std::uint64_t bytes, std::string text,
             std::string advice, std::vector<FixItHint> edits = {});

    std::uint64_t hint_bytes_;
    std::map<SourceLocation, finding> findings_;
};

} // namespace clang::tidy::linn
