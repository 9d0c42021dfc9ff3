// SPDX-License-Identifier: Apache-2.0
#include "supervisor.hpp"

#include "../measure/files.hpp"

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

static_assert(launcher::report_fd < first_owned_fd);

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

supervisor::supervisor(const supervised_program& what) {
    const std::string program = companion("linn-launcher").string();
    std::vector<std::string> command{
        program,    std::to_string(::getpid()), std::string(1, static_cast<char>(what.counters)),
        what.cpus,  what.directory.string(),    what.preload,
        what.probe, what.program.string()};
    command.insert(command.end(), what.arguments.begin(), what.arguments.end());

    pipe_ends ends = make_pipe();
    launcher_ = ends.write ? spawn(command, what, ends.write.get()) : -errno;
    reports_ = std::move(ends.read);
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
