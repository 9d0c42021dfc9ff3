// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/interrupt.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace linn::tool {

/// A line on standard error that is rewritten in place, with what is known so far below it; silent when standard error is no
/// terminal.
class progress_line {
public:
    progress_line();
    progress_line(const progress_line&) = delete;
    progress_line& operator=(const progress_line&) = delete;
    ~progress_line() { clear(); }

    void show(const work_progress& p);
    /// What stands below the line from now on; left out where the terminal is not high enough.
    void set_below(std::vector<std::string> lines);
    /// Whether anybody sees it.
    bool is_shown() const noexcept { return width_ != 0; }
    void clear();

private:
    using clock = std::chrono::steady_clock;

    std::string below() const;

    std::size_t width_;
    std::vector<std::string> below_;
    clock::time_point plan_start_{};
    clock::time_point last_{};
    bool shown_ = false;
};

/// The text of the line, at most `width` wide; `elapsed` counts from the first cell.
std::string progress_text(const work_progress& p, std::chrono::duration<double> elapsed, std::size_t width);

/// What a reader of a trace calls with its share: the line shows it, and the reader goes on. The line must outlive it.
std::function<bool(double)> show_reading(progress_line& line);

} // namespace linn::tool
