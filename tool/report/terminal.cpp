// SPDX-License-Identifier: Apache-2.0
#include "terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace linn::tool {
namespace {

std::optional<bool> chosen_colour; // nothing: as the terminal suits

bool is_set(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0';
}

output_style style_of(int fd) {
    output_style style;
    const std::optional<winsize> terminal = terminal_size(fd);
    style.keeps_columns = !terminal;
    if (const char* columns = std::getenv("COLUMNS")) {
        if (const int given = std::atoi(columns); given > 0) {
            style.width = static_cast<std::size_t>(given);
            style.keeps_columns = false;
        }
    }
    if (terminal) {
        style.width = terminal->ws_col;
    }
    const char* kind = std::getenv("TERM");
    const bool suits = terminal && !is_set("NO_COLOR") && kind != nullptr && std::string_view{kind} != "dumb";
    style.colour = chosen_colour.value_or(suits);
    return style;
}

/// The text of the line, at most `width` wide; `elapsed` counts from the first cell.
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
        text = fmt::format("[{}{}] {:>3.0f} %", std::string(full, '#'), std::string(cells - full, '.'),
                           share * 100);
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

} // namespace

void choose_colour(const std::string& when) {
    chosen_colour = when == "auto" ? std::nullopt : std::optional{when == "always"};
}

output_style style_of_stdout() {
    return style_of(STDOUT_FILENO);
}

output_style style_of_stderr() {
    return style_of(STDERR_FILENO);
}

std::optional<winsize> terminal_size(int fd) {
    if (::isatty(fd) == 0) {
        return std::nullopt;
    }
    winsize size{}; // a terminal may not know one of them, or neither
    ::ioctl(fd, TIOCGWINSZ, &size);
    size.ws_col = size.ws_col != 0 ? size.ws_col : 80;
    size.ws_row = size.ws_row != 0 ? size.ws_row : 24;
    return size;
}

std::string bold(const output_style& style, std::string_view text) {
    return style.colour ? "\033[1m" + std::string{text} + "\033[0m" : std::string{text};
}

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
    std::string out;
    std::size_t column = 0;
    while (!text.empty()) {
        const std::size_t space = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, space);
        text.remove_prefix(std::min(space + 1, text.size()));
        if (word.empty()) {
            continue;
        }
        if (column != 0 && column + 1 + word.size() > width) {
            out += '\n' + std::string(indent, ' ');
            column = indent;
        } else if (column != 0) {
            out += ' ';
            ++column;
        }
        out += word;
        column += word.size();
    }
    return out;
}

progress_line::progress_line() : width_{terminal_size(STDERR_FILENO).value_or(winsize{}).ws_col} {}

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
    std::fprintf(stderr, "\r\033[J%s", progress_text(p, now - plan_start_, width_ - 1).c_str());
    std::fflush(stderr);
}

void progress_line::show(const char* doing, double share) {
    constexpr std::size_t steps = 1000;
    work_progress p;
    p.done = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * steps);
    p.total = steps;
    p.doing = doing;
    show(p);
}

void progress_line::clear() {
    if (shown_) {
        std::fputs("\r\033[J", stderr);
        std::fflush(stderr);
    }
    shown_ = false;
}

void progress_line::tell(const std::string& text) {
    clear();
    if (width_ != 0) {
        std::fprintf(stderr, "%s\n", text.c_str());
    }
}

std::function<bool(double)> show_reading(progress_line& line) {
    return [&line](double share) {
        line.show("reading", share);
        return true;
    };
}

} // namespace linn::tool
