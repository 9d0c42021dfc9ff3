// SPDX-License-Identifier: Apache-2.0
#include "child_program.hpp"

#include "../measure/process.hpp"
#include "../measure/ticks.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace linn::tool {
namespace {

/// Those that a user or a script sends to the process it started, which is this one.
constexpr std::array passed_on{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
/// Those of them that an interrupt_guard watches.
constexpr std::array stopping{SIGINT, SIGTERM, SIGHUP};
/// SIGXFSZ and SIGPIPE would end this process where a failed write is enough; SIGCHLD ignored would lose the status.
constexpr std::array handled{SIGXFSZ, SIGPIPE, SIGCHLD};

/// How long the first thread of a process has waited for a processor; 0 where the kernel does not say.
double queued_ns_of(pid_t pid) {
    std::ifstream in{fmt::format("/proc/{}/schedstat", pid)};
    double ran_ns = 0;
    double queued_ns = 0;
    in >> ran_ns >> queued_ns;
    return queued_ns;
}

} // namespace

signal_desk::signal_desk() {
    sigemptyset(&watched_);
    sigemptyset(&changed_);
    sigaddset(&watched_, SIGCHLD);
    for (const int signal : passed_on) {
        sigaddset(&watched_, signal);
    }
    ::pthread_sigmask(SIG_BLOCK, &watched_, &old_mask_);
    mask_of_child_ = interrupt_guard::outer_mask() != nullptr ? *interrupt_guard::outer_mask() : old_mask_;
    for (std::size_t i = 0; i != handled.size(); ++i) {
        struct sigaction action{};
        action.sa_handler = handled[i] == SIGCHLD ? SIG_DFL : SIG_IGN;
        ::sigaction(handled[i], &action, &old_actions_[i]);
        if (old_actions_[i].sa_handler != SIG_IGN) {
            sigaddset(&changed_, handled[i]);
        }
    }
}

signal_desk::~signal_desk() {
    // One that the terminal sent to the whole group may reach this process after the program has ended by it. An
    // interrupt_guard around keeps those that ask to stop for itself.
    sigset_t drained = watched_;
    if (interrupt_guard::outer_mask() != nullptr) {
        for (const int signal : stopping) {
            sigdelset(&drained, signal);
        }
    }
    const timespec at_once{};
    while (::sigtimedwait(&drained, nullptr, &at_once) > 0) {
    }
    for (std::size_t i = 0; i != handled.size(); ++i) {
        ::sigaction(handled[i], &old_actions_[i], nullptr);
    }
    ::pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
}

std::optional<siginfo_t> signal_desk::wait_for_stop(std::chrono::milliseconds time) const {
    const timespec limit{time.count() / 1000, (time.count() % 1000) * 1'000'000};
    siginfo_t signal{};
    const int number = ::sigtimedwait(&watched_, &signal, &limit);
    const bool is_stop =
        number == SIGQUIT || std::find(stopping.begin(), stopping.end(), number) != stopping.end();
    return is_stop ? std::optional{signal} : std::nullopt;
}

bool came_from_process(const siginfo_t& signal) noexcept {
    return signal.si_code <= 0;
}

child_program::child_program(const signal_desk& desk, bool adopts) noexcept : desk_(desk), adopts_(adopts) {
    if (adopts) {
        ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    }
}

std::string child_program::start(const std::filesystem::path& program,
                                 const std::vector<std::string>& arguments,
                                 const std::vector<std::string>& environment,
                                 const std::filesystem::path& input, const std::vector<int>& silent) {
    owned_fd in;
    if (!input.empty()) {
        // Opened here: it may be a name for our own standard input, which a spawn closes first.
        in = owned_fd{::open(input.c_str(), O_RDONLY | O_CLOEXEC)};
        if (!in) {
            return fmt::format("the input {}: {}", input.string(), std::strerror(errno));
        }
    }
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    if (in) {
        ::posix_spawn_file_actions_adddup2(&actions, in.get(), STDIN_FILENO);
    }
    for (const int stream : silent) {
        ::posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0);
    }
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    ::posix_spawnattr_setsigmask(&attributes, &desk_.mask_of_child());
    ::posix_spawnattr_setsigdefault(&attributes, &desk_.changed());
    started_ns_ = now_ns();
    pid_t child = -1;
    const int error = ::posix_spawn(&child, program.c_str(), &actions, &attributes,
                                    pointers(arguments).data(), pointers(environment).data());
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        return fmt::format("{} cannot be started: {}", program.string(), std::strerror(error));
    }
    pid_ = child;
    return {};
}

bool child_program::collect(program_end& end) {
    for (;;) {
        int status = 0;
        rusage used{};
        const double queued_ns = is_finished_ ? 0 : queued_ns_of(pid_); // before it is reaped
        const pid_t got = ::wait4(adopts_ ? -1 : pid_, &status, WNOHANG, &used);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0 && !is_finished_) {
            end.exit_status = 1;
            end.ending = fmt::format("unknown: {}", std::strerror(errno));
            is_finished_ = true;
        }
        if (got <= 0) {
            return is_finished_;
        }
        end.user_ns += static_cast<double>(nanoseconds_of(used.ru_utime));
        end.system_ns += static_cast<double>(nanoseconds_of(used.ru_stime));
        end.page_faults += static_cast<std::uint64_t>(used.ru_minflt);
        if (got == pid_) {
            is_finished_ = true;
            end.written_bytes =
                static_cast<std::uint64_t>(used.ru_oublock) * 512; // Linux counts in blocks of this
            end.wall_ns = static_cast<double>(now_ns() - started_ns_);
            end.queued_ns = queued_ns;
            end.exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
            end.ending = WIFSIGNALED(status) ? "killed by " + signal_name(WTERMSIG(status))
                                             : fmt::format("exit status {}", end.exit_status);
        } else {
            end.had_orphans = true;
        }
    }
}

program_end child_program::wait() {
    program_end end;
    while (!collect(end)) {
        siginfo_t signal{};
        if (::sigwaitinfo(&desk_.watched(), &signal) > 0) {
            end.was_told = end.was_told || signal.si_signo != SIGCHLD;
            if (std::find(stopping.begin(), stopping.end(), signal.si_signo) != stopping.end()) {
                end.stopped_by = signal.si_signo;
            }
            if (signal.si_signo != SIGCHLD && came_from_process(signal)) {
                ::kill(pid_, signal.si_signo);
            }
        }
    }
    return end;
}

} // namespace linn::tool
