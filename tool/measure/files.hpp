// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace linn::tool {

/// What the user named cannot be used: there is no such file, it is something else, or a program for it is missing. The message names
/// it, the reason and the fix. A wrong call, unless the command that catches it says otherwise.
struct unusable_input : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The words of the command contradict each other, or one is missing or unknown. Its help says what may be asked.
struct wrong_arguments : unusable_input {
    using unusable_input::unusable_input;
};

/// It is damaged: not a wrong call, so the tool fails with another exit status.
struct damaged_input : unusable_input {
    using unusable_input::unusable_input;
};

/// The whole content of a file; nothing when it cannot be read, with the reason in `errno`.
std::optional<std::string> read_file(const std::filesystem::path& path);

/// Likewise of a file that the user named. @throws unusable_input
std::string text_of_file(const std::filesystem::path& path);

/// Makes a file with this content, or replaces it. @throws std::filesystem::filesystem_error
void write_file(const std::filesystem::path& path, const std::string& text);

/// A private folder, removed with everything in it.
class temporary_folder {
public:
    /// Makes `prefix`XXXXXX in `parent`, or in /tmp if that is empty. @throws std::filesystem::filesystem_error
    temporary_folder(const std::filesystem::path& parent, const std::string& prefix);
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;
    ~temporary_folder();

    const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;
};

/// Writes the text to a file that appears whole or not at all: to a temporary name next to it, then
/// renamed. What is no regular file (a pipe, /dev/stdout) is written to as it is.
/// Returns an empty string, or what went wrong.
std::string write_atomically(const std::string& path, const std::string& text);

/// Likewise what a function writes to a stream.
using stream_writer = std::function<void(std::ostream&)>;
std::string write_atomically(const std::string& path, const stream_writer& write);

/// Why a file cannot be written, as far as that can be told before the work starts, and what to do. Empty: nothing is known.
std::string why_not_writable(const std::string& path);

/// Opens those of the standard streams that are closed, or the next file would be one of them. What is written to standard output
/// still fails. A program that linn starts finds them closed.
void open_standard_streams();

/// For messages. What cannot be written is lost: there is no other place to say so.
void write_to_stderr(const std::string& text);

/// Where a file that belongs to the tool lies (a helper program, a preload library, a build script): next to the
/// program, as in a build tree, or in `../libexec/linn`, as installed. Where it is in neither, the path next to the
/// program, for the message of the code that opens it.
std::filesystem::path companion(std::string_view name);

/// Likewise for a library that will be preloaded into a program. `problem` says what makes that impossible.
std::filesystem::path preload_companion(std::string_view name, std::string& problem);

} // namespace linn::tool
