// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "call_sites.hpp"
#include "clang-tidy/ClangTidyCheck.h"
#include "fill_size.hpp"
#include "finding.hpp"

#include <cstdint>
#include <memory>

namespace clang::tidy::linn {

/// What the checks share: their options, the sizes of a translation unit's types, and how a finding is told.
///
/// Options: `MinBytes` (64), smaller fills are not reported; `Facts` (0), 1 adds a note with the facts as JSON to each
/// warning.
class fill_check : public ClangTidyCheck {
public:
    fill_check(StringRef name, ClangTidyContext* context);

    bool isLanguageVersionSupported(const LangOptions& options) const override { return options.CPlusPlus11; }
    void storeOptions(ClangTidyOptions::OptionMap& options) override;

protected:
    /// To be called first for each match: the context stays the same in a translation unit.
    void begin(ASTContext& context);
    /// To be called last in a translation unit.
    void end() {
        sizes_.reset();
        sites_ = {};
    }

    void report(const finding& found);

    std::uint64_t number_option(StringRef name, std::uint64_t otherwise) const;
    void store_number(ClangTidyOptions::OptionMap& to, StringRef name, std::uint64_t value) const;

    ASTContext& context() const { return *context_; }
    fill_size& sizes() const { return *sizes_; }
    call_sites& sites() { return sites_; }
    std::uint64_t min_bytes() const { return min_bytes_; }

private:
    std::uint64_t min_bytes_;
    bool tells_facts_;
    ASTContext* context_ = nullptr;
    std::unique_ptr<fill_size> sizes_;
    call_sites sites_;
};

} // namespace clang::tidy::linn
