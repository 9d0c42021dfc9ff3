// SPDX-License-Identifier: Apache-2.0
#include "screen.hpp"

// Without the macros of curses, which are called `move` and `erase`.
#define NCURSES_NOMACROS 1

#include <curses.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <string_view>

namespace linn::tool::live {
namespace {

/// While curses is set up: it would install handlers that end the process, and the signals are the program's.
class kept_signals {
public:
    kept_signals() {
        for (std::size_t i = 0; i != signals.size(); ++i) {
            ::sigaction(signals[i], nullptr, &before_[i]);
        }
    }
    kept_signals(const kept_signals&) = delete;
    kept_signals& operator=(const kept_signals&) = delete;
    ~kept_signals() {
        for (std::size_t i = 0; i != signals.size(); ++i) {
            ::sigaction(signals[i], &before_[i], nullptr);
        }
    }

private:
    static constexpr std::array signals{SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
    std::array<struct sigaction, signals.size()> before_{};
};

/// Text that the terminal's encoding has: anything else would end the line.
std::string showable(std::string_view text) {
    std::string out{text};
    if (std::mbstate_t state{}; true) {
        const char* from = out.c_str();
        if (std::mbsrtowcs(nullptr, &from, 0, &state) != static_cast<std::size_t>(-1)) {
            return out;
        }
    }
    for (char& c : out) {
        c = static_cast<unsigned char>(c) < 0x80 ? c : '?';
    }
    return out;
}

attr_t attributes_of(line_style style) {
    switch (style) {
    case line_style::strong:
        return A_BOLD;
    case line_style::heading:
        return A_REVERSE;
    case line_style::faint:
        return A_DIM;
    case line_style::plain:
        break;
    }
    return A_NORMAL;
}

key key_of(int code) {
    switch (code) {
    case 'q':
    case 'Q':
        return key::quit;
    case 'p':
    case ' ':
        return key::pause;
    case 's':
        return key::next_sort;
    case 'r':
        return key::by_rate;
    case 'l':
        return key::by_live;
    case 'g':
        return key::by_growth;
    case 'w':
        return key::window;
    case KEY_UP:
    case 'k':
        return key::up;
    case KEY_DOWN:
    case 'j':
        return key::down;
    case KEY_PPAGE:
        return key::page_up;
    case KEY_NPAGE:
        return key::page_down;
    case KEY_HOME:
        return key::first;
    case KEY_END:
        return key::last;
    default:
        return key::none;
    }
}

} // namespace

class terminal_screen::state {
public:
    ~state() {
        close();
        if (fd >= 0) {
            ::close(fd);
        }
    }

    bool is_foreground() const { return ::tcgetpgrp(fd) == ::getpgrp(); }

    bool show() {
        input = ::fdopen(::fcntl(fd, F_DUPFD_CLOEXEC, 3), "r");
        output = ::fdopen(::fcntl(fd, F_DUPFD_CLOEXEC, 3), "w");
        if (input == nullptr || output == nullptr) {
            return false;
        }
        std::setlocale(LC_CTYPE, "");
        const kept_signals signals;
        ::use_env(FALSE); // not COLUMNS and LINES, which a shell may have exported
        ::use_tioctl(TRUE);
        terminal = ::newterm(nullptr, output, input);
        if (terminal == nullptr) {
            return false;
        }
        ::set_escdelay(25);
        ::cbreak();
        ::noecho();
        ::nonl();
        ::keypad(::stdscr, TRUE);
        ::nodelay(::stdscr, TRUE);
        ::curs_set(0);
        is_left = false;
        return true;
    }

    void leave() {
        if (terminal != nullptr && !is_left) {
            ::curs_set(1);
            ::endwin();
            is_left = true;
        }
    }

    void close() {
        if (terminal != nullptr) {
            leave();
            ::delscreen(terminal);
            terminal = nullptr;
        }
        for (std::FILE** file : {&input, &output}) {
            if (*file != nullptr) {
                std::fclose(*file);
                *file = nullptr;
            }
        }
    }

    int fd = -1;
    std::FILE* input = nullptr;
    std::FILE* output = nullptr;
    SCREEN* terminal = nullptr;
    bool is_left = false; ///< for the shell, until the next drawing
};

terminal_screen::terminal_screen() : state_{std::make_unique<state>()} {}
terminal_screen::~terminal_screen() = default;

bool terminal_screen::open() {
    const char* const kind = std::getenv("TERM");
    if (::isatty(STDERR_FILENO) != 1 || kind == nullptr || *kind == '\0' || std::strcmp(kind, "dumb") == 0) {
        return false;
    }
    state_->fd = ::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    return state_->fd >= 0 && state_->is_foreground();
}

bool terminal_screen::show() {
    if (state_->show()) {
        return true;
    }
    state_->close();
    return false;
}

void terminal_screen::close() {
    state_->close();
}

int terminal_screen::descriptor() const noexcept {
    return state_->fd;
}

std::size_t terminal_screen::columns() const noexcept {
    return static_cast<std::size_t>(::getmaxx(::stdscr));
}

std::size_t terminal_screen::lines() const noexcept {
    return static_cast<std::size_t>(::getmaxy(::stdscr));
}

bool terminal_screen::resize() {
    winsize size{};
    if (::ioctl(state_->fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0 ||
        (size.ws_col == columns() && size.ws_row == lines())) {
        return false;
    }
    ::resizeterm(size.ws_row, size.ws_col);
    ::clearok(::curscr, TRUE); // what a terminal makes of its old lines is its own affair
    return true;
}

void terminal_screen::draw(const screen_text& text) {
    if (!state_->is_foreground()) {
        return;
    }
    state_->is_left = false;
    ::werase(::stdscr);
    int y = 0;
    for (const screen_line& line : text.lines) {
        ::wattrset(::stdscr, static_cast<int>(attributes_of(line.style)));
        ::wmove(::stdscr, y++, 0);
        ::waddnstr(::stdscr, showable(line.text).c_str(), -1);
    }
    ::wattrset(::stdscr, A_NORMAL);
    ::wrefresh(::stdscr);
}

key terminal_screen::pressed() {
    return state_->is_foreground() && !state_->is_left ? key_of(::wgetch(::stdscr)) : key::none;
}

void terminal_screen::stop_process() {
    state_->leave();
    ::raise(SIGSTOP); // to this thread, which must not go on to draw until the others have stopped
}

} // namespace linn::tool::live
