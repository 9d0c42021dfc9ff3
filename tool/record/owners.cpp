// SPDX-License-Identifier: Apache-2.0
#include "owners.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace linn::tool {
namespace {

/// The letter that /proc/…/stat gives a task's state; 0 when there is no such task.
char task_state(std::uint32_t pid, std::uint32_t tid) {
    std::array<char, 64> path{};
    if (tid == 0)
        fmt::format_to_n(path.data(), path.size() - 1, "/proc/{}/stat", pid);
    else
        fmt::format_to_n(path.data(), path.size() - 1, "/proc/{}/task/{}/stat", pid, tid);
    const int fd = ::open(path.data(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT || errno == ESRCH ? '\0' : 'R';
    // The state stands behind the name, which may hold anything, parentheses included.
    std::array<char, 512> text{};
    const ssize_t got = ::read(fd, text.data(), text.size() - 1);
    ::close(fd);
    const char* const name_end = got > 0 ? std::strrchr(text.data(), ')') : nullptr;
    return name_end != nullptr && name_end[1] == ' ' ? name_end[2] : '\0';
}

} // namespace

bool is_thread_alive(std::uint32_t pid, std::uint32_t tid) {
    // Cheap, and right for nearly all that are gone; a zombie still takes signals.
    const bool has_task = tid == 0 ? ::kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM
                                   : ::syscall(SYS_tgkill, pid, tid, 0) == 0 || errno == EPERM;
    if (!has_task)
        return false;
    const char state = task_state(pid, tid);
    return state != '\0' && state != 'Z' && state != 'X';
}

} // namespace linn::tool
