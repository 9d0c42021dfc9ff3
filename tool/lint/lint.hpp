// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/interrupt.hpp"
#include "clang_tidy.hpp"
#include "selection.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// A member that is filled.
struct filled_part {
    std::string name;
    std::uint64_t bytes = 0;
};

/// What becomes of a place's zeros.
enum class fill_class {
    removable,   ///< nothing reads them
    relied_upon, ///< something that the plugin cannot see may
    cold,        ///< nothing reads them, and they are few and written once
};

std::string_view to_string(fill_class certainty) noexcept;

/// What the plugin says of a place in a form for programs; its sentences are for people alone.
struct fill_facts {
    std::string what; ///< the expression that fills: "std::make_shared<line>"
    std::uint64_t bytes = 0;
    bool per_element = false; ///< of one element: how many there are is known at run time only
    fill_class certainty = fill_class::removable;
    std::vector<filled_part> members; ///< the largest ones
    std::string reason;               ///< why there is no fix, or none without a person's look at it
};

/// Reads the note of facts that the plugin adds to a warning, one line of JSON; nothing for any other note, and for
/// facts of another version.
std::optional<fill_facts> read_fill_facts(std::string_view note);

/// In which part of a report a finding stands, in this order.
enum class fill_kind {
    now,         ///< removable: so many bytes
    per_element, ///< removable: so many for each element of an array whose length is known at run time only
    relied_upon, ///< maybe not for nothing
    cold,        ///< small, and run once
};

/// Of these parts a report's first sentence speaks, and its exit status depends on them.
bool is_certain(fill_kind kind) noexcept;

fill_kind kind_of(const fill_facts& fill) noexcept;

/// What became of a finding's fix.
enum class fix_state {
    none,    ///< there is none
    in_note, ///< one that needs a person's consent (--fix-notes)
    offered, ///< a safe one
    applied, ///<
    refused, ///< it was to be applied and could not be
};

std::string_view to_string(fix_state state) noexcept;

/// What a finding says besides its message, with the place.
struct lint_note {
    std::string text;
    std::string file; ///< empty where it has no place
    text_place place;
};

/// A place that writes zeros for nothing, or would.
struct lint_finding {
    std::string check;
    std::string file;
    std::size_t offset = 0;
    text_place place;
    std::string source_line; ///< as it stands in the file
    std::string message;     ///< of the instantiation that fills most
    fill_facts fill;
    std::vector<lint_note> notes; ///< without the facts
    std::vector<lint_replacement> fix;
    fix_state state = fix_state::none;
    std::string refusal; ///< why a fix was refused
    unsigned units = 0;  ///< commands of the database in which the place was found
};

/// Puts together what several translation units say of one place: places are unique by file, byte and check. A fix stays
/// only where all of them agree on it.
class finding_collector {
public:
    /// `wanted` says whether to report a place in that file.
    using filter = std::function<bool(const std::string& file)>;

    /// Takes over what a translation unit reported. Diagnostics of other checks and of the compiler are passed over. When
    /// `is_whole` is false the unit had errors, and its fixes are not trusted. @throws unusable_input for a finding without
    /// facts: the plugin belongs to another version of the tool.
    void add(std::vector<tidy_diagnostic> diagnostics, bool is_whole, const filter& wanted);

    /// All findings by their kind, and in it the most bytes first.
    std::vector<lint_finding> take(source_texts& texts);

private:
    struct entry {
        lint_finding finding;
        std::vector<tidy_message> notes;
        std::vector<lint_replacement> note_fix;
        bool fix_differs = false;
        bool note_fix_differs = false;
        bool has_whole_unit = false;
    };

    static void merge(entry& e, bool is_new, tidy_diagnostic d, fill_facts fill);

    std::map<std::string, entry> entries_;
};

/// Applies the findings' fixes to the texts, in memory: each fix wholly or not at all, once, the first of two that overlap.
/// Fixes that came from notes take part where `with_notes` says so. Sets `state` and `refusal` of the findings. A file
/// that was changed after `read_at` is left alone, and so is every file but the finding's own.
/// @return the new text of every file that changes
std::map<std::string, std::string> apply_fixes(std::vector<lint_finding>& findings, source_texts& texts,
                                               bool with_notes, std::filesystem::file_time_type read_at);

/// Takes back what apply_fixes() said of a file that could then not be written.
void refuse_fixes_of(std::vector<lint_finding>& findings, const std::string& file, const std::string& reason);

/// What `linn lint` is asked for.
struct lint_options {
    std::string build; ///< a folder or a compile database; empty: look for one
    std::vector<std::string> files;
    check_options checks;
    tidy_choice tidy;
    project_options scope;
    unsigned jobs = 1;
};

/// A file that could not be checked, or not wholly.
struct failed_file {
    std::string file;
    std::string reason;

    friend bool operator==(const failed_file&, const failed_file&) = default;
};

/// What was found.
struct lint_result {
    std::string started; ///< ISO 8601, UTC
    std::string database;
    std::filesystem::path root; ///< the project's folder
    tidy_program program;
    lint_options options;
    std::vector<lint_finding> findings; ///< the most bytes first
    std::vector<failed_file> failed;
    std::vector<std::string> remarks;
    std::size_t units = 0;          ///< to check
    std::size_t checked = 0;        ///< wholly
    std::size_t not_run = 0;        ///< a signal came before
    std::size_t not_cxx = 0;        ///< entries in another language
    std::size_t excluded = 0;       ///< entries that are not the project's
    std::size_t compiled_again = 0; ///< further entries of files that were read once
    double seconds = 0;             ///< of clang-tidy, all units together
    int signal = 0;                 ///< that stopped it, or 0
    source_texts texts;
    std::filesystem::file_time_type read_at{};

    /// Of the places of the kind `now`, together.
    std::uint64_t bytes() const;
    std::size_t count(fill_kind kind) const;
    /// Certain places that `--fix` changes, or has changed.
    std::size_t with_fix() const;
    /// Places of a kind that is certain, that are not fixed and write at least so many bytes. One that fills an array whose length is known at run
    /// time only is among them: it may be large.
    std::size_t left(std::uint64_t least) const;
};

/// Checks what the options say.
/// @throws unusable_input, std::regex_error; std::runtime_error when the machine fails
lint_result lint(const lint_options& options, const interrupt_guard& guard,
                 const std::function<void(const work_progress&)>& on_progress);

} // namespace linn::tool
