// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "creation.hpp"
#include "fill_check.hpp"
#include "value_flow.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace clang::tidy::linn {

/// `linn-zero-fill`: value-initialisation that writes bytes which default-initialisation leaves alone.
///
/// Template instantiations share the place in the source; so everything is gathered first and reported,
/// one warning a place, at the end of the translation unit.
class zero_fill_check : public fill_check {
public:
    using fill_check::fill_check;

    void registerMatchers(ast_matchers::MatchFinder* finder) override;
    void check(const ast_matchers::MatchFinder::MatchResult& result) override;
    void onEndOfTranslationUnit() override;

private:
    /// One instantiation, or the only version, of an expression.
    struct version {
        creation made;
        std::uint64_t each = 0;  ///< bytes for one object
        std::uint64_t bytes = 0; ///< all together where the number is known, else those of one
        std::vector<filled_member> members{};
        value_flow flow{};
        const FunctionDecl* function = nullptr;
    };

    void add_intended(const VarTemplateSpecializationDecl& special);
    bool fills_enough(const version& one) const;
    /// Whether its zeros are written for nothing, so far as its function tells.
    bool fills_for_nothing(const version& one) const;
    void report_place(const std::vector<version>& versions);

    std::map<SourceLocation, std::vector<version>> places_;
    std::vector<QualType> intended_; ///< for which `linn::zero_fill_intended` is specialised as true
};

} // namespace clang::tidy::linn
