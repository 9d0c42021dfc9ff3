// SPDX-License-Identifier: Apache-2.0
#include "owners.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace linn::tool {
namespace {

/// The letter that /proc/…/stat gives a task's state; 0 when there is no such task.
char task_state(std::uint32_t pid, std::uint32_t tid) {
    std::array<char, 64> path{};
    if (tid == 0) {
        fmt::format_to_n(path.data(), path.size() - 1, "/proc/{}/stat", pid);
    } else {
        fmt::format_to_n(path.data(), path.size() - 1, "/proc/{}/task/{}/stat", pid, tid);
    }
    const int fd = ::open(path.data(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return errno == ENOENT || errno == ESRCH ? '\0' : 'R';
    }
    // The state stands behind the name, which may hold anything, parentheses included.
    std::array<char, 512> text{};
    const ssize_t got = ::read(fd, text.data(), text.size() - 1);
    ::close(fd);
    const char* const name_end = got > 0 ? std::strrchr(text.data(), ')') : nullptr;
    return name_end != nullptr && name_end[1] == ' ' ? name_end[2] : '\0';
}

} // namespace

std::vector<std::uint32_t> processes_with(const std::string& name_and_value) {
    std::vector<std::uint32_t> found;
    std::error_code error;
    for (std::filesystem::directory_iterator at{"/proc", error}, end; !error && at != end;
         at.increment(error)) {
        const std::string name = at->path().filename().string();
        std::uint32_t pid = 0;
        const auto [stop, bad] = std::from_chars(name.data(), name.data() + name.size(), pid);
        if (bad != std::errc{} || stop != name.data() + name.size()) {
            continue;
        }
        std::ifstream in{at->path() / "environ",
                         std::ios::binary}; // others' cannot be read, a zombie's is empty
        for (std::string entry; std::getline(in, entry, '\0');) {
            if (entry == name_and_value) {
                found.push_back(pid);
                break;
            }
        }
    }
    return found;
}

bool is_thread_alive(std::uint32_t pid, std::uint32_t tid) {
    // Cheap, and right for nearly all that are gone; a zombie still takes signals.
    const bool has_task = tid == 0 ? ::kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM
                                   : ::syscall(SYS_tgkill, pid, tid, 0) == 0 || errno == EPERM;
    if (!has_task) {
        return false;
    }
    const char state = task_state(pid, tid);
    return state != '\0' && state != 'Z' && state != 'X';
}

} // namespace linn::tool
