// SPDX-License-Identifier: Apache-2.0
#include "supervisor.hpp"

#include "../measure/files.hpp"
#include "../measure/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace linn::tool {
namespace {

/// Starts the launcher; returns its id, or -errno.
pid_t spawn(const std::vector<std::string>& command, const supervised_program& what, int report) {
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, what.input, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, what.output, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, what.errors, STDERR_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, report, launcher::report_fd);

    // In a session of its own, so that no terminal's signal reaches it, and with every signal blocked, so that ours
    // wait until it is ready for them.
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
    ::posix_spawnattr_setsigmask(&attributes, &all);

    pid_t child = 0;
    const int error = ::posix_spawn(&child, command.front().c_str(), &actions, &attributes,
                                    pointers(command).data(), pointers(what.environment).data());
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    return error == 0 ? child : -error;
}

} // namespace

owned_fd::owned_fd(int fd) noexcept : fd_(fd) {
    // Started with closed standard streams, the tool would get their numbers, and the actions of a spawn, which run in
    // order, would overwrite one with another.
    if (fd >= 0 && fd <= launcher::report_fd) {
        fd_ = ::fcntl(fd, F_DUPFD_CLOEXEC, launcher::report_fd + 1);
        ::close(fd);
    }
}

owned_fd& owned_fd::operator=(owned_fd&& other) noexcept {
    if (fd_ >= 0 && this != &other) {
        ::close(fd_);
    }
    fd_ = other.release();
    return *this;
}

owned_fd::~owned_fd() {
    if (fd_ >= 0) {
        ::close(fd_);
    }
}

int owned_fd::release() noexcept {
    return std::exchange(fd_, -1);
}

supervisor::supervisor(const supervised_program& what) {
    const std::string program = companion("linn-launcher").string();
    std::vector<std::string> command{
        program,    std::to_string(::getpid()), std::string(1, static_cast<char>(what.counters)),
        what.cpus,  what.directory.string(),    what.preload,
        what.probe, what.program.string()};
    command.insert(command.end(), what.arguments.begin(), what.arguments.end());

    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        launcher_ = -errno;
    } else {
        reports_ = owned_fd{ends[0]};
        const owned_fd write_end{ends[1]};
        launcher_ = spawn(command, what, write_end.get());
    }
    if (launcher_ < 0) {
        report_.failed = launcher::step::fork;
        report_.error = -launcher_;
        if (launcher_ != -E2BIG) {
            problem_ = fmt::format("{}: {}", program, std::strerror(-launcher_));
        }
        finished_ = true;
    }
}

supervisor::~supervisor() {
    if (finished_) {
        return;
    }
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
    reap();
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

void supervisor::reap() noexcept {
    while (::waitpid(launcher_, nullptr, 0) < 0 && errno == EINTR) {
    }
    finished_ = true;
}

} // namespace linn::tool
