// SPDX-License-Identifier: Apache-2.0
#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace linn::tool {
namespace {

colour_choice chosen_colour = colour_choice::automatic;

std::size_t terminal_width(int fd) {
    winsize size{};
    if (::isatty(fd) == 0) {
        return 0;
    }
    return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col != 0 ? size.ws_col : 80;
}

bool is_set(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0';
}

output_style style_of(int fd) {
    output_style style;
    const std::size_t terminal = terminal_width(fd);
    style.keeps_columns = terminal == 0;
    if (const char* columns = std::getenv("COLUMNS")) {
        if (const int given = std::atoi(columns); given > 0) {
            style.width = static_cast<std::size_t>(given);
            style.keeps_columns = false;
        }
    }
    if (terminal != 0) {
        style.width = terminal;
    }
    const char* kind = std::getenv("TERM");
    const bool suits =
        terminal != 0 && !is_set("NO_COLOR") && kind != nullptr && std::string_view{kind} != "dumb";
    style.colour = chosen_colour == colour_choice::automatic ? suits : chosen_colour == colour_choice::always;
    return style;
}

} // namespace

void choose_colour(colour_choice choice) noexcept {
    chosen_colour = choice;
}

output_style style_of_stdout() {
    return style_of(STDOUT_FILENO);
}

output_style style_of_stderr() {
    return style_of(STDERR_FILENO);
}

std::size_t stderr_terminal_width() {
    return terminal_width(STDERR_FILENO);
}

std::size_t stderr_terminal_height() {
    winsize size{};
    if (::isatty(STDERR_FILENO) == 0) {
        return 0;
    }
    return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row != 0 ? size.ws_row : 24;
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

} // namespace linn::tool
