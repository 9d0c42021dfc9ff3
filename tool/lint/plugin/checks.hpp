// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clang-tidy/ClangTidyCheck.h"
#include "creation.hpp"
#include "fill_size.hpp"
#include "overwrite.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace clang::tidy::linn {

/// What a note of a finding is about. The tool reads the names, see `facts_of`.
enum class note_kind {
    member, ///< a member that is filled
    writer, ///< the statement that overwrites the fill
    advice, ///< what to write instead, or why nothing can be
};

/// What becomes of a finding's zeros.
enum class fill_class {
    removable,   ///< nothing reads them
    relied_upon, ///< a function that the check cannot see may read them
    cold,        ///< nothing reads them, and they are few and written once
};

struct finding_note {
    note_kind kind = note_kind::advice;
    SourceLocation where{};
    std::string text{};
    std::vector<FixItHint> edits{}; ///< that a person may choose
    std::string member{};           ///< its name, of `note_kind::member`
    std::uint64_t bytes = 0;        ///< of the member
};

/// A place that fills memory with zeros for nothing: facts for programs, sentences for people. The sentences may change at any
/// time, because `linn lint` reads the facts only.
struct finding {
    SourceLocation where{};
    std::string what{}; ///< the expression that fills: `std::make_unique<line>`
    std::uint64_t bytes = 0;
    bool per_element = false; ///< `bytes` are those of one element; only the run knows how many there are
    fill_class certainty = fill_class::relied_upon;
    std::string reason{};           ///< why there is no fix, or why a person has to look at it first
    std::string text{};             ///< the warning
    std::vector<FixItHint> edits{}; ///< of the warning: safe to apply
    std::vector<finding_note> notes{};
};

/// What the two checks share: they gather what fills in each function, and report one warning for each place at the end of the
/// translation unit, because the instantiations of a template share the place.
///
/// Options: `MinBytes` (64), smaller fills are not reported; `Facts` (0), 1 adds a note with the facts as JSON to each warning.
class fill_check : public ClangTidyCheck {
public:
    fill_check(StringRef name, ClangTidyContext* context);

    bool isLanguageVersionSupported(const LangOptions& options) const override { return options.CPlusPlus11; }
    void storeOptions(ClangTidyOptions::OptionMap& options) override;
    void registerMatchers(ast_matchers::MatchFinder* finder) override;
    void check(const ast_matchers::MatchFinder::MatchResult& result) override;
    void onEndOfTranslationUnit() override;

protected:
    /// One instantiation, or the only version, of an expression that fills.
    struct version {
        creation made;
        const FunctionDecl* function = nullptr; ///< none for an initialiser outside of all functions
        std::uint64_t bytes = 0; ///< all together where the number is known; otherwise those of one
        std::vector<filled_member> members{};
        object_fate fate{};
    };

    /// What a part of a function fills, if the check looks for that.
    virtual void look_at(const Stmt& part, const FunctionDecl* function) = 0;
    /// May fill in what it finds out of the versions.
    virtual void report_place(std::vector<version>& versions) = 0;

    void add(std::optional<creation> made, const FunctionDecl* function);
    void report(const finding& found);
    finding start_of(const version& one, bool is_removable) const;

    ASTContext& context() const { return *context_; }
    fill_size& sizes() const { return *sizes_; }
    std::uint64_t min_bytes() const { return min_bytes_; }

private:
    std::uint64_t number_option(StringRef name, std::uint64_t otherwise) const;
    void store_number(ClangTidyOptions::OptionMap& to, StringRef name, std::uint64_t value) const;
    void look_at_all(const Stmt* part, const FunctionDecl* function);

    std::uint64_t min_bytes_;
    bool tells_facts_;
    ASTContext* context_ = nullptr;
    std::unique_ptr<fill_size> sizes_{};
    std::map<SourceLocation, std::vector<version>> places_{};
};

/// `linn-zero-fill`: value-initialisation that writes bytes which default-initialisation leaves alone.
class zero_fill_check : public fill_check {
public:
    using fill_check::fill_check;

    void registerMatchers(ast_matchers::MatchFinder* finder) override;
    void check(const ast_matchers::MatchFinder::MatchResult& result) override;

private:
    void look_at(const Stmt& part, const FunctionDecl* function) override;
    void report_place(std::vector<version>& versions) override;

    std::vector<QualType> intended_{}; ///< for which `linn::zero_fill_intended` is specialised as true
};

/// `linn-overwritten-fill`: a vector, string, array or object that is filled, all of which the function then overwrites before
/// anything reads it.
class overwritten_fill_check : public fill_check {
public:
    using fill_check::fill_check;

private:
    void look_at(const Stmt& part, const FunctionDecl* function) override;
    void report_place(std::vector<version>& versions) override;
};

} // namespace clang::tidy::linn
