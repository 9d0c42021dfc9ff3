// SPDX-License-Identifier: Apache-2.0
#include "children.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace linn::tool::launcher {

namespace {

struct event {
    std::uint32_t type;
    std::uint64_t config;
};

constexpr std::uint64_t dtlb_read_miss =
    PERF_COUNT_HW_CACHE_DTLB | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16;

constexpr event hardware[counter_count] = {
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {PERF_TYPE_HW_CACHE, dtlb_read_miss},
};

// Every machine has these: they show that the machinery works where there is no hardware counter.
constexpr event software[counter_count] = {
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},      {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN}, {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
};

} // namespace

void counters::open(counter_set which, report& into) noexcept {
    if (which == counter_set::none) {
        return;
    }
    const event* const events = which == counter_set::hardware ? hardware : software;
    for (std::size_t i = 0; i != counter_count; ++i) {
        perf_event_attr a{};
        a.size = sizeof a;
        a.type = events[i].type;
        a.config = events[i].config;
        a.disabled = 1;
        a.inherit = 1;
        a.enable_on_exec = 1; // this process never execs, so only its children are counted
        a.exclude_kernel = 1;
        a.exclude_hv = 1;
        a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
        fds_[i] = static_cast<int>(::syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
        if (fds_[i] < 0 && into.counter_error == 0) {
            into.counter_error = errno;
        }
    }
}

void counters::read(report& into) noexcept {
    for (std::size_t i = 0; i != counter_count; ++i) {
        std::uint64_t got[3] = {}; // count, time enabled, time running
        if (fds_[i] < 0 || ::read(fds_[i], got, sizeof got) != sizeof got || got[2] == 0) {
            continue;
        }
        into.counts[i] = got[1] == got[2] ? got[0]
                                          : static_cast<std::uint64_t>(static_cast<double>(got[0]) *
                                                                       static_cast<double>(got[1]) /
                                                                       static_cast<double>(got[2]));
        into.counted[i] = true;
    }
}

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
