// SPDX-License-Identifier: Apache-2.0
#include "child_program.hpp"

#include "../measure/process.hpp"
#include "../measure/quantity.hpp"
#include "../measure/ticks.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
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

using figures::unit;
using figures::written;

constexpr double longest_ns = 60e9;
/// A program that used less of its time than this waited: for a user, a network, a clock.
constexpr double least_busy = 0.5;
/// Starting a process takes milliseconds, in which it uses no CPU time of its own.
constexpr double start_ns = 50e6;
constexpr std::uint64_t page_bytes = 4096;
/// The second run may take this share of the first run's estimated time without recording, and so much more than all of it.
constexpr double least_share = 0.5;
constexpr double most_share = 1.2;
constexpr double noise_ns = 20e6;
constexpr const char* how_to = " (--baseline runs it again all the same)"; // where it would be measured then

/// How long the first thread of a process has waited for a processor; 0 where the kernel does not say.
double queued_ns_of(pid_t pid) {
    std::ifstream in{fmt::format("/proc/{}/schedstat", pid)};
    double ran_ns = 0;
    double queued_ns = 0;
    in >> ran_ns >> queued_ns;
    return queued_ns;
}

double cpu_ns(const program_end& end) {
    return end.user_ns + end.system_ns;
}

void add(const rusage& used, program_end& end) {
    end.user_ns += static_cast<double>(nanoseconds_of(used.ru_utime));
    end.system_ns += static_cast<double>(nanoseconds_of(used.ru_stime));
    end.page_faults += static_cast<std::uint64_t>(used.ru_minflt);
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
    if (!input
             .empty()) { // opened here: it may be a name for our own standard input, which a spawn closes first
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
        add(used, end);
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

bool is_input_read_once() {
    struct stat input{};
    return ::fstat(STDIN_FILENO, &input) == 0 && (S_ISFIFO(input.st_mode) || S_ISSOCK(input.st_mode));
}

std::uint64_t output_file_bytes() {
    std::uint64_t bytes = 0;
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
        if (struct stat s{}; ::fstat(stream, &s) == 0 && S_ISREG(s.st_mode)) {
            bytes += static_cast<std::uint64_t>(s.st_size);
        }
    }
    return bytes;
}

std::string why_not_again(const recorded_run& run) {
    const program_end& end = run.end;
    if (is_input_read_once()) {
        return "its standard input is a pipe, which can be read once";
    }
    if (end.was_told || end.exit_status >= 128) {
        return "it was ended by a signal";
    }
    if (run.has_left_processes) {
        return "it left processes behind";
    }
    // Each of the two files may end in a page of its own.
    if (end.written_bytes > run.output_bytes + 2 * page_bytes) {
        return fmt::format("it wrote {} to files{}", figures::bytes_text(end.written_bytes), how_to);
    }
    if (end.wall_ns > longest_ns) {
        return fmt::format("it took {}{}", figures::seconds_text(end.wall_ns * 1e-9), how_to);
    }
    // On a busy machine it also waited for its turn, which is known of its first thread only.
    const double ran_ns = std::max(cpu_ns(end) + end.queued_ns, cpu_ns(end) * run.load_per_cpu);
    if (end.wall_ns > start_ns && ran_ns < least_busy * (end.wall_ns - start_ns)) {
        return fmt::format("it waited most of the time{}", how_to);
    }
    return {};
}

std::string why_not_comparable(const recorded_run& first, const program_end& second) {
    if (second.was_told) {
        return "it was interrupted";
    }
    if (second.exit_status != first.end.exit_status) {
        return fmt::format("it ended otherwise: {}, not {}", second.ending, first.end.ending);
    }
    const double recorded = cpu_ns(first.end);
    const double expected =
        std::max(recorded - static_cast<double>(first.events) * first.event_cost_ns, recorded / 10);
    const double took = cpu_ns(second);
    if (took < least_share * expected - noise_ns) {
        return fmt::format("it took {} of CPU time where about {} were expected, so it did less",
                           written(unit::nanoseconds, took), written(unit::nanoseconds, expected));
    }
    if (took > most_share * recorded + noise_ns) {
        return fmt::format("it took {} of CPU time, more than the {} with the recording",
                           written(unit::nanoseconds, took), written(unit::nanoseconds, recorded));
    }
    return {};
}

} // namespace linn::tool
