// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../measure/process.hpp"

#include <sys/ioctl.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace linn::tool {

/// What the report may use of the place it goes to.
struct output_style {
    std::size_t width = 100;
    bool colour = false;
    bool keeps_columns = false; ///< tables keep their width, because a file cannot be widened
};

/// What --color says, "auto", "always" or "never": whether text is bold. To be called before any style is asked for.
void choose_colour(const std::string& when);

/// The style for standard output: COLUMNS or the terminal's width; colour on a terminal only, and not under NO_COLOR or
/// TERM=dumb, unless choose_colour says otherwise. In a pipe or a file without COLUMNS prose is 100 wide, and tables have all their columns.
output_style style_of_stdout();

/// The same for standard error.
output_style style_of_stderr();

/// The columns and rows of the terminal behind a file descriptor; nothing when it is none.
std::optional<winsize> terminal_size(int fd);

/// The text in bold where the style allows it.
std::string bold(const output_style& style, std::string_view text);

/// Breaks prose at spaces to fit `width`; every line after the first starts with `indent` spaces.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent = 0);

/// A line on standard error that is rewritten in place; silent when standard error is no terminal.
class progress_line {
public:
    progress_line();
    progress_line(const progress_line&) = delete;
    progress_line& operator=(const progress_line&) = delete;
    ~progress_line() { clear(); }

    void show(const work_progress& p);
    /// How much of something is done, 0 to 1.
    void show(const char* doing, double share);
    void clear();
    /// A line of its own, for those who watch.
    void tell(const std::string& text);

private:
    using clock = std::chrono::steady_clock;

    std::size_t width_;
    clock::time_point plan_start_{};
    clock::time_point last_{};
    bool shown_ = false;
};

/// What a reader of a trace calls with its share: the line shows it, and the reader goes on. The line must outlive it.
std::function<bool(double)> show_reading(progress_line& line);

} // namespace linn::tool
