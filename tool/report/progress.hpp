// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/progress.hpp"

#include <chrono>
#include <cstddef>
#include <string>

namespace linn::tool {

/// One line on standard error that is rewritten in place; silent when standard error is no terminal.
class progress_line {
public:
    progress_line();
    progress_line(const progress_line&) = delete;
    progress_line& operator=(const progress_line&) = delete;
    ~progress_line() { clear(); }

    void show(const work_progress& p);
    void clear();

private:
    using clock = std::chrono::steady_clock;

    std::size_t width_;
    clock::time_point plan_start_{};
    clock::time_point last_{};
    bool shown_ = false;
};

/// The text of the line, at most `width` wide; `elapsed` counts from the first cell.
std::string progress_text(const work_progress& p, std::chrono::duration<double> elapsed, std::size_t width);

} // namespace linn::tool
