// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clang/Basic/Diagnostic.h"

#include <cstdint>
#include <string>
#include <vector>

namespace clang::tidy::linn {

/// What a note of a finding is about. The tool reads the names, see `kind_name`.
enum class note_kind {
    member,        ///< a member that is filled
    rest,          ///< the members that have no note of their own
    read,          ///< where the zeros are read
    advice,        ///< what to write instead, or why nothing can be
    instantiation, ///< where a template is instantiated
};

/// What becomes of a finding's zeros.
enum class fill_class {
    removable,   ///< nothing reads them
    relied_upon, ///< something that is not seen may
    cold,        ///< nothing reads them, and they are few and written once
};

/// Fewer bytes than these, written once, are not worth a change.
constexpr std::uint64_t most_cold_bytes = 4096;

struct finding_note {
    note_kind kind = note_kind::advice;
    SourceLocation where{};
    std::string text{};
    std::vector<FixItHint> edits{}; ///< that a person may choose
    std::string member{};           ///< its name, of `note_kind::member`
    std::uint64_t bytes = 0;        ///< of the member
};

/// A place that fills memory with zeros for nothing, or would: facts for programs, sentences for people. The sentences
/// may change at any time, because `linn lint` reads the facts only.
struct finding {
    SourceLocation where{};
    std::string what{}; ///< the expression that fills: `std::make_unique<line>`
    std::uint64_t bytes = 0;
    bool per_element = false;    ///< `bytes` are those of one element; only the run knows how many there are
    bool after_a_change = false; ///< nothing is filled today
    fill_class certainty = fill_class::relied_upon;
    std::string reason{};           ///< why there is no fix, or why a person has to look at it first
    std::string text{};             ///< the warning
    std::vector<FixItHint> edits{}; ///< of the warning: safe to apply
    std::vector<finding_note> notes{};
};

/// "1 byte", "64 bytes".
std::string bytes_text(std::uint64_t bytes);

/// The facts of a finding as one line of JSON, the contract between the plugin and `linn lint`
/// (docs/design/lint.md, "What the tool reads").
std::string facts_of(const finding& found);

} // namespace clang::tidy::linn
