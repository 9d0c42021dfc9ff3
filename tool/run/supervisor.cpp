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

supervisor::supervisor(const supervised_program& what) {
    const std::string program = companion("linn-launcher").string();
    std::vector<std::string> command{
        program,    std::to_string(::getpid()), what.cpus, what.directory.string(), what.preload,
        what.probe, what.program.string()};
    command.insert(command.end(), what.arguments.begin(), what.arguments.end());

    static_assert(launcher::report_fd == 3 && launcher::report_fd < first_owned_fd);
    // In a session of its own, so that no terminal's signal reaches it, and with every signal blocked, so that ours
    // wait until it is ready for them.
    sigset_t all;
    sigfillset(&all);
    pipe_ends ends = make_pipe();
    launcher_ = ends.write
                    ? spawn(command, what.environment,
                            {what.input, what.output, what.errors, ends.write.get()}, POSIX_SPAWN_SETSID, all)
                    : -errno;
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
