// SPDX-License-Identifier: Apache-2.0
#include "supervisor.hpp"

#include "../measure/files.hpp"
#include "../measure/machine.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace linn::tool {
namespace {

/// While it lives, this thread runs on these CPUs only, and so does what it starts. An empty list changes nothing.
class pinning {
public:
    explicit pinning(const std::string& list) {
        if (list.empty()) {
            return;
        }
        knows_before_ = ::sched_getaffinity(0, sizeof before_, &before_) == 0;
        cpu_set_t set;
        CPU_ZERO(&set);
        for (const unsigned cpu : cpus_in(list).value_or(std::vector<unsigned>{})) {
            CPU_SET(cpu, &set);
        }
        is_done_ = ::sched_setaffinity(0, sizeof set, &set) == 0;
    }
    pinning(const pinning&) = delete;
    pinning& operator=(const pinning&) = delete;
    ~pinning() {
        if (knows_before_) {
            ::sched_setaffinity(0, sizeof before_, &before_);
        }
    }

    bool is_done() const noexcept { return is_done_; }

private:
    cpu_set_t before_{};
    bool knows_before_ = false;
    bool is_done_ = true;
};

} // namespace

supervisor::supervisor(const supervised_program& what) {
    const std::string program = companion("linn-launcher").string();
    std::vector<std::string> command{program, std::to_string(::getpid()), what.directory.string(),
                                     what.preload, what.program.string()};
    command.insert(command.end(), what.arguments.begin(), what.arguments.end());

    static_assert(launcher::report_fd == 3 && launcher::report_fd < first_owned_fd);
    // In a session of its own, so that no terminal's signal reaches it, and with every signal blocked, so that ours
    // wait until it is ready for them.
    sigset_t all;
    sigfillset(&all);
    pipe_ends ends = make_pipe();
    const pinning pinned{what.cpus};
    if (!pinned.is_done()) {
        launcher_ = -EINVAL;
        problem_ = fmt::format("CPUs \"{}\"", what.cpus);
    } else if (!ends.write) {
        launcher_ = -errno;
    } else {
        launcher_ = spawn(command, what.environment, {what.input, what.output, what.errors, ends.write.get()},
                          POSIX_SPAWN_SETSID, all);
    }
    reports_ = std::move(ends.read);
    if (launcher_ < 0) {
        report_.failed = launcher::step::fork;
        report_.error = -launcher_;
        if (launcher_ != -E2BIG && problem_.empty()) {
            problem_ = fmt::format("{}: {}", program, std::strerror(-launcher_));
        }
        finished_ = true;
    }
}

supervisor::~supervisor() {
    end_all();
    wait();
}

bool supervisor::is_finished() {
    if (finished_) {
        return true;
    }
    pollfd ready{reports_.get(), POLLIN, 0};
    if (::poll(&ready, 1, 0) <= 0) {
        return false;
    }
    launcher::report received;
    const ssize_t got = ::read(reports_.get(), &received, sizeof received);
    if (got < 0 && errno == EINTR) {
        return false;
    }
    while (::waitpid(launcher_, nullptr, 0) < 0 && errno == EINTR) {
    }
    finished_ = true;
    if (got == sizeof received && received.magic == launcher::report::right_magic) {
        report_ = received;
    } else {
        report_.failed = launcher::step::fork;
        report_.error = ECHILD;
        problem_ = "linn-launcher, the helper that starts programs, was killed";
    }
    return true;
}

void supervisor::wait() {
    while (!is_finished()) {
        pollfd ready{reports_.get(), POLLIN, 0};
        ::poll(&ready, 1, -1);
    }
}

void supervisor::ask_to_end() noexcept {
    if (!finished_) {
        ::kill(launcher_, SIGUSR1);
    }
}

void supervisor::end_all() noexcept {
    if (!finished_) {
        ::kill(launcher_, SIGTERM);
    }
}

} // namespace linn::tool
