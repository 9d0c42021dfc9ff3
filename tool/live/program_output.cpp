// SPDX-License-Identifier: Apache-2.0
#include "program_output.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

namespace linn::tool::live {
namespace {

/// Whether a stream of this process is on a terminal. /dev/tty is another file than the terminal that it stands for.
bool is_on(int stream, int terminal) {
    unsigned its = 0;
    unsigned wanted = 0;
    return ::ioctl(stream, TIOCGDEV, &its) == 0 && ::ioctl(terminal, TIOCGDEV, &wanted) == 0 && its == wanted;
}

} // namespace

program_output::~program_output() {
    for (const int fd : {source_, end_}) {
        if (fd >= 0) {
            ::close(fd);
        }
    }
}

child_streams program_output::open(int terminal) {
    const bool takes_output = is_on(STDOUT_FILENO, terminal);
    const bool takes_error = is_on(STDERR_FILENO, terminal);
    if (!takes_output && !takes_error) {
        return {};
    }
    terminal_ = terminal;
    source_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    std::array<char, 128> name{};
    if (source_ < 0 || ::grantpt(source_) != 0 || ::unlockpt(source_) != 0 ||
        ::ptsname_r(source_, name.data(), name.size()) != 0) {
        return {};
    }
    end_ = ::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (end_ < 0) {
        return {};
    }
    termios modes{};
    if (::tcgetattr(terminal, &modes) == 0) {
        modes.c_oflag &= ~static_cast<tcflag_t>(OPOST); // which the real one does with what it gets
        ::tcsetattr(end_, TCSANOW, &modes);
    }
    winsize size{};
    if (::ioctl(terminal, TIOCGWINSZ, &size) == 0) {
        ::ioctl(end_, TIOCSWINSZ, &size);
    }
    return {takes_output ? end_ : -1, takes_error ? end_ : -1};
}

void program_output::program_runs() {
    if (end_ >= 0) {
        ::close(std::exchange(end_, -1));
    }
}

void program_output::resize(std::size_t columns, std::size_t lines) const {
    if (source_ >= 0) {
        winsize size{};
        size.ws_col = static_cast<unsigned short>(columns);
        size.ws_row = static_cast<unsigned short>(lines);
        ::ioctl(source_, TIOCSWINSZ, &size);
    }
}

void program_output::write_out(const char* bytes, std::size_t count) const {
    while (count != 0) {
        const ssize_t written = ::write(terminal_, bytes, count);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return; // nobody is there to read it
        }
        bytes += written;
        count -= static_cast<std::size_t>(written);
    }
}

bool program_output::pump() {
    bool found = false;
    std::array<char, 16384> bytes;
    while (source_ >= 0) {
        const ssize_t got = ::read(source_, bytes.data(), bytes.size());
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            if (got == 0 || errno != EAGAIN) { // EIO: no process has the other end any more
                ::close(std::exchange(source_, -1));
            }
            break;
        }
        found = true;
        const auto count = static_cast<std::size_t>(got);
        if (passes_on_) {
            write_out(bytes.data(), count);
            continue;
        }
        last_.add({bytes.data(), count});
        if (!kept_) {
            kept_.reset(std::tmpfile());
        }
        if (kept_ == nullptr || std::fwrite(bytes.data(), 1, count, kept_.get()) != count) {
            // No room to keep it: rather in the midst of the view than lost.
            write_out(bytes.data(), count);
        }
    }
    return found;
}

void program_output::pass_on() {
    if (std::exchange(passes_on_, true) || kept_ == nullptr) {
        return;
    }
    std::rewind(kept_.get());
    std::array<char, 16384> bytes;
    for (std::size_t got = 0; (got = std::fread(bytes.data(), 1, bytes.size(), kept_.get())) != 0;) {
        write_out(bytes.data(), got);
    }
    kept_.reset();
}

} // namespace linn::tool::live
