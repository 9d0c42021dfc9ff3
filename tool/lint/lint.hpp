// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/files.hpp"
#include "../measure/process.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// The words of a command line as a POSIX shell splits them: quotes and backslashes are taken away, nothing is expanded.
/// A quote that is not closed ends with the text. @source JSON Compilation Database Format, field "command"
std::vector<std::string> command_words(std::string_view text);

/// How one file is compiled.
struct compile_command {
    std::string file;      ///< absolute, without . and ..
    std::string directory; ///< where the command runs; absolute
    std::vector<std::string> arguments;
};

/// What a compile_commands.json says.
struct compile_database {
    std::filesystem::path path;   ///< of the file as it was found
    std::filesystem::path folder; ///< in which the file lies, links followed: the build folder
    std::vector<compile_command> commands;
};

/// The files below a folder that `is_wanted` says yes to. Negative `levels`: however deep.
std::vector<std::filesystem::path>
files_below(const std::filesystem::path& folder,
            const std::function<bool(const std::filesystem::path&)>& is_wanted, int levels = -1);

/// The compile database of a folder, or the one that `given` names itself. With an empty `given`: of the current folder, of
/// its build folders (build*, cmake-build*, out, and one level below them; the newest), else of the nearest folder
/// above that has one. @throws unusable_input
std::filesystem::path find_compile_database(const std::string& given);

/// Reads it. @throws unusable_input
compile_database read_compile_database(const std::filesystem::path& path);

/// True for what is compiled as C++: by its extension, or because the command says so with -x.
bool is_cxx(const compile_command& command);

/// The command with which clang-tidy is run: without launchers such as ccache, without warnings (-Werror would stop it), and
/// without precompiled headers and plugins, which are another compiler's. Clang takes up a precompiled header next to one that
/// the driver's -include names, but not next to one that the front end's does.
std::vector<std::string> arguments_for_clang(const compile_command& command);

/// What belongs to the user's project, so it is checked and reported.
struct project_options {
    /// Expression: which headers are reported; unset: all of the project folder.
    std::optional<std::string> header_filter;
    /// Expression: what is left out; unset: `default_exclude` and the build folder.
    std::optional<std::string> exclude;
};

/// Copies of other people's code. Matched against paths as seen from the project folder.
inline constexpr const char* default_exclude =
    "(^|/)(third[-_]?party|3rd[-_]?party|external|extern|vendor|vendored|_deps|subprojects|node_modules)/";

/// The folder of a project and what in it counts.
class project {
public:
    /// The project folder is the work tree (.git, .hg, .svn, .jj) around the first source outside the build folder that is in
    /// one; if there is none, the folder that all such sources have in common.
    /// @throws std::regex_error for an expression that is none
    project(const compile_database& database, const project_options& options);

    /// Where a file is seen from the project folder; as it is when it lies elsewhere.
    std::string shown(const std::string& file) const;

    /// Left out: copies of other people's code, what a build generates, or what --exclude names.
    bool excludes(const std::string& file) const;

    /// Whether to report a place in this header.
    bool reports_header(const std::string& file) const;

    const std::filesystem::path& root() const noexcept { return root_; }

private:
    std::filesystem::path root_;
    std::string build_; ///< ends in a slash; empty when the build lies among the sources
    std::optional<std::regex> exclude_;
    std::optional<std::regex> header_filter_;
};

/// True when `file` lies in `folder`, however deep. Both are absolute and without . and ..
bool lies_in(const std::string& file, const std::filesystem::path& folder);

/// One translation unit to check.
struct lint_unit : compile_command {
    bool is_whole = true; ///< false: it was chosen for a header, and only what was asked for is reported
};

/// The files to check, and those left out.
struct lint_selection {
    std::vector<lint_unit> units;
    std::vector<std::string> headers; ///< asked for by name
    std::size_t not_cxx = 0;          ///< entries of the database in another language
    std::size_t excluded = 0;         ///< entries in the build folder or excluded
    std::size_t compiled_again = 0;   ///< further entries of a file that is read once
    std::vector<std::string> gone;    ///< files of entries that do not exist any more
    std::vector<std::string> remarks; ///< what was asked for and is not there
};

/// Chooses the entries of the database: all that the project does not exclude, or those that `patterns` name. A pattern is a
/// file, a folder or a glob with * ? []; a header stands for the entries that include it. A file that is named itself is
/// checked even where it is excluded. A file that several entries compile becomes one unit, by the first of them.
/// @throws unusable_input
lint_selection select_units(const compile_database& database, const project& the_project,
                            const std::vector<std::string>& patterns);

/// A place in a file as a person names it.
struct text_place {
    std::size_t line = 0;   ///< from 1; 0: not known
    std::size_t column = 0; ///< in bytes, from 1, as compilers count
};

/// The files that places are looked up in, each read at its first use. One that cannot be read is an empty one.
class source_texts {
public:
    const std::string& of(const std::string& file);

    /// The place of a byte; unknown when it lies behind the end.
    text_place place(const std::string& file, std::size_t offset);

    /// The line that it stands in, without its end; likewise.
    std::string_view line(const std::string& file, std::size_t offset);

private:
    std::map<std::string, std::string> files_;
};

/// Text to put in the place of other text.
struct lint_replacement {
    std::string file;
    std::size_t offset = 0; ///< bytes
    std::size_t length = 0; ///< bytes
    std::string text;

    friend auto operator<=>(const lint_replacement&, const lint_replacement&) = default;
};

/// One message of clang-tidy with its place, as its file of fixes tells it.
struct tidy_message {
    std::string text;
    std::string file; ///< absolute without . and ..; empty where the message has no place
    std::size_t offset = 0;
    std::vector<lint_replacement> fix;
    text_place place = {}; ///< the same, of the notes of a finding
};

/// One diagnostic.
struct tidy_diagnostic {
    std::string name;  ///< "linn-zero-fill", "clang-diagnostic-error"
    std::string level; ///< "Warning", "Error" …
    tidy_message message;
    std::vector<tidy_message> notes;
};

/// The diagnostics in the YAML that clang-tidy's --export-fixes writes; none for an empty text. Paths that are not
/// absolute are taken from `directory`. @throws damaged_input
std::vector<tidy_diagnostic> read_tidy_report(const std::string& yaml, const std::string& directory);

/// A clang-tidy and the plugin that was built for its version.
struct tidy_program {
    std::string path;
    std::string version; ///< "19.1.7"
    int major = 0;
    std::string plugin;
};

/// What the user said about it; empty where nothing.
struct tidy_choice {
    std::string clang_tidy;
    std::string plugin;
};

/// The newest clang-tidy for which a plugin lies next to the tool, or the one that was chosen; it has been started with the
/// plugin, and knows the checks. @throws unusable_input
tidy_program find_tidy_program(const tidy_choice& choice, const interrupt_guard& guard);

/// What the checks are told.
struct check_options {
    std::uint64_t min_bytes = 64;
    bool fill = true;        ///< linn-zero-fill
    bool overwritten = true; ///< linn-overwritten-fill
};

/// What one translation unit gave.
struct unit_outcome {
    bool was_run = false; ///< false: a signal came before
    std::string failure;  ///< why it could not be checked, or not wholly; empty when it could
    std::vector<tidy_diagnostic> diagnostics;
    double seconds = 0;
};

/// Runs clang-tidy for every unit, `jobs` at a time. Ends early, with the children, when `guard` has a signal pending. The
/// outcomes stand in the order of the units. @pre jobs >= 1
std::vector<unit_outcome> run_tidy(const tidy_program& program, const std::vector<lint_unit>& units,
                                   const check_options& options, unsigned jobs, const interrupt_guard& guard,
                                   const std::function<void(const work_progress&)>& on_progress);

/// A member that is filled.
struct filled_part {
    std::string name;
    std::uint64_t bytes = 0;
};

/// What becomes of a place's zeros. Where units or instantiations differ, the first of their classes holds.
enum class fill_class {
    relied_upon, ///< something that the plugin cannot see may read them
    removable,   ///< nothing reads them
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

/// A place that writes zeros for nothing, or would.
struct lint_finding {
    std::string check;
    std::string file;
    std::size_t offset = 0;
    text_place place;
    std::string source_line; ///< as it stands in the file
    std::string message;     ///< of the instantiation that fills most
    fill_facts fill;
    std::vector<tidy_message> notes; ///< without the facts
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
    lint_selection chosen;
    std::size_t units = 0;   ///< to check
    std::size_t checked = 0; ///< wholly
    std::size_t not_run = 0; ///< a signal came before
    double seconds = 0;      ///< of clang-tidy, all units together
    int signal = 0;          ///< that stopped it, or 0
    source_texts texts;
    std::filesystem::file_time_type read_at{};

    /// Of the places of the kind `now`, together.
    std::uint64_t bytes() const;
    std::size_t count(fill_kind kind) const;
    /// Certain places that `--fix` changes, or has changed.
    std::size_t with_fix() const;
    /// Places of a kind that is certain, that are not fixed and write at least so many bytes. One that fills an array whose length
    /// is known at run time only is among them: it may be large.
    std::size_t left(std::uint64_t least) const;
};

/// Checks what the options say.
/// @throws unusable_input, std::regex_error; std::runtime_error when the machine fails
lint_result lint(const lint_options& options, const interrupt_guard& guard,
                 const std::function<void(const work_progress&)>& on_progress);

} // namespace linn::tool
