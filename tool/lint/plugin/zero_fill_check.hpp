// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TOOL_LINT_PLUGIN_ZERO_FILL_CHECK_HPP
#define LINN_TOOL_LINT_PLUGIN_ZERO_FILL_CHECK_HPP

#include "clang-tidy/ClangTidyCheck.h"
#include "creation.hpp"
#include "value_flow.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace linn_tidy {

/// `linn-zero-fill`: value-initialisation that writes bytes which default-initialisation leaves alone.
///
/// Template instantiations share the place in the source; so everything is gathered first and reported,
/// one warning a place, at the end of the translation unit.
class zero_fill_check : public clang::tidy::ClangTidyCheck {
public:
    zero_fill_check(llvm::StringRef name, clang::tidy::ClangTidyContext* context);

    bool isLanguageVersionSupported(const clang::LangOptions& options) const override {
        return options.CPlusPlus11;
    }
    void storeOptions(clang::tidy::ClangTidyOptions::OptionMap& options) override;
    void registerMatchers(clang::ast_matchers::MatchFinder* finder) override;
    void check(const clang::ast_matchers::MatchFinder::MatchResult& result) override;
    void onEndOfTranslationUnit() override;

private:
    /// One instantiation, or the only version, of an expression.
    struct version {
        creation made;
        std::uint64_t each = 0;  ///< bytes for one object
        std::uint64_t bytes = 0; ///< all together where the number is known, else those of one
        value_flow flow{};
        const clang::FunctionDecl* function = nullptr;
    };

    bool add_version(creation made);
    bool fills_enough(const version& one) const;
    void report(const std::vector<version>& versions);
    void explain_members(const version& one);
    void explain_reads(const version& one);

    std::uint64_t min_bytes_;
    clang::ASTContext* context_ = nullptr;
    std::unique_ptr<fill_size> sizes_;
    std::map<clang::SourceLocation, std::vector<version>> places_;
};

} // namespace linn_tidy

#endif
