// SPDX-License-Identifier: Apache-2.0
#include "children.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace linn::tool::launcher {
namespace {

struct process {
    pid_t pid;
    pid_t parent;
    bool alive;
    bool is_below;
};

/// Reads /proc/<pid>/stat; false when the process is gone meanwhile.
bool read_process(const char* name, process& p) noexcept {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%.20s/stat", name);
    const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    char text[512];
    const ssize_t got = ::read(fd, text, sizeof text - 1);
    ::close(fd);
    if (got <= 0) {
        return false;
    }
    text[got] = '\0';
    // "pid (comm) state ppid": comm may hold anything, parentheses included.
    const char* const end = std::strrchr(text, ')');
    char state = 0;
    int parent = 0;
    if (end == nullptr || std::sscanf(end + 1, " %c %d", &state, &parent) != 2) {
        return false;
    }
    p = {std::atoi(name), parent, state != 'Z' && state != 'X', false};
    return true;
}

} // namespace

descendants::descendants() noexcept {
    DIR* const directory = ::opendir("/proc");
    if (directory == nullptr) {
        return;
    }
    process* all = nullptr;
    std::size_t size = 0;
    std::size_t capacity = 0;
    while (const dirent* const entry = ::readdir(directory)) {
        if (entry->d_name[0] < '1' || entry->d_name[0] > '9') {
            continue;
        }
        if (size == capacity) {
            capacity = capacity == 0 ? 256 : 2 * capacity;
            void* const more = std::realloc(all, capacity * sizeof(process));
            if (more == nullptr) {
                break;
            }
            all = static_cast<process*>(more);
        }
        if (read_process(entry->d_name, all[size])) {
            ++size;
        }
    }
    ::closedir(directory);

    pids_ = static_cast<pid_t*>(std::malloc((size + 1) * sizeof(pid_t)));
    if (pids_ != nullptr) {
        // A family is not sorted by number: repeat until no generation is added.
        const pid_t self = ::getpid();
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t i = 0; i != size; ++i) {
                bool is_below = all[i].parent == self;
                for (std::size_t j = 0; !is_below && !all[i].is_below && j != size; ++j) {
                    is_below = all[j].is_below && all[j].pid == all[i].parent;
                }
                changed = changed || (is_below && !all[i].is_below);
                all[i].is_below = all[i].is_below || is_below;
            }
        }
        for (std::size_t i = 0; i != size; ++i) {
            if (all[i].is_below && all[i].alive) {
                pids_[count_++] = all[i].pid;
            }
        }
    }
    std::free(all);
}

descendants::~descendants() {
    std::free(pids_);
}

void descendants::signal(int number) const noexcept {
    for (std::size_t i = 0; i != count_; ++i) {
        ::kill(pids_[i], number);
    }
}

} // namespace linn::tool::launcher
