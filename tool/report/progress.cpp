// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include "../measure/quantity.hpp"
#include "terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace linn::tool {

std::string progress_text(const work_progress& p, std::chrono::duration<double> elapsed, std::size_t width) {
    std::string text;
    if (p.total == 0) {
        text = p.doing;
    } else {
        double share = static_cast<double>(p.done) / static_cast<double>(p.total);
        if (p.seconds_left && p.done != p.total) {
            share = elapsed.count() / std::max(1e-9, elapsed.count() + *p.seconds_left);
        }
        constexpr std::size_t cells = 20;
        const auto full = static_cast<std::size_t>(share * cells);
        text = fmt::format("[{}{}] {:>3} %", std::string(full, '#'), std::string(cells - full, '.'),
                           figures::fixed_text(share * 100, 0));
        // The first cells say too little about the rest.
        if (p.done >= 5) {
            const double left = p.seconds_left ? *p.seconds_left : elapsed.count() / share * (1 - share);
            text += fmt::format("  {}:{:02} left", static_cast<int>(left) / 60, static_cast<int>(left) % 60);
        }
        text += fmt::format("  {}", p.doing);
        if (p.repeated != 0) {
            text += fmt::format("  ({} repeated)", p.repeated);
        }
    }
    return text.substr(0, width);
}

progress_line::progress_line() : width_{stderr_terminal_width()} {}

void progress_line::show(const work_progress& p) {
    if (width_ == 0) {
        return;
    }
    const auto now = clock::now();
    if (p.total != 0 && plan_start_ == clock::time_point{}) {
        plan_start_ = now;
    }
    if (shown_ && now - last_ < std::chrono::milliseconds{150}) {
        return;
    }
    last_ = now;
    shown_ = true;
    // One column stays free: a full line would make some terminals wrap.
    std::fprintf(stderr, "\r\033[J%s%s", progress_text(p, now - plan_start_, width_ - 1).c_str(),
                 below().c_str());
    std::fflush(stderr);
}

void progress_line::set_below(std::vector<std::string> lines) {
    below_ = std::move(lines);
    last_ = {}; // shown at once
}

/// The lines, with the cursor back in the line above them.
std::string progress_line::below() const {
    if (below_.empty() || below_.size() + 2 > stderr_terminal_height()) {
        return {};
    }
    std::string text;
    for (const std::string& line : below_) {
        text += "\n\r" + line;
    }
    return text + fmt::format("\033[{}A", below_.size());
}

void progress_line::clear() {
    if (shown_) {
        std::fputs("\r\033[J", stderr);
        std::fflush(stderr);
    }
    shown_ = false;
}

std::function<bool(double)> show_reading(progress_line& line) {
    return [&line](double share) {
        work_progress p;
        p.done = static_cast<std::size_t>(share * 1000);
        p.total = 1000;
        p.doing = "reading";
        line.show(p);
        return true;
    };
}

} // namespace linn::tool
