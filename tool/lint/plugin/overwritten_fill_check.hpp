// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "creation.hpp"
#include "fill_check.hpp"
#include "value_flow.hpp"

#include <map>
#include <vector>

namespace clang::tidy::linn {

/// `linn-overwritten-fill`: a vector, string, array or object that is filled, all of which the function then overwrites
/// before anything reads it.
class overwritten_fill_check : public fill_check {
public:
    using fill_check::fill_check;

    void registerMatchers(ast_matchers::MatchFinder* finder) override;
    void check(const ast_matchers::MatchFinder::MatchResult& result) override;
    void onEndOfTranslationUnit() override;

private:
    struct version {
        creation made;
        const FunctionDecl* function = nullptr;
    };

    void look_at(const Stmt* statement, const FunctionDecl& function);
    void add(std::optional<creation> made, const FunctionDecl& function);
    void report_place(const std::vector<version>& versions);

    std::map<SourceLocation, std::vector<version>> places_;
};

} // namespace clang::tidy::linn
