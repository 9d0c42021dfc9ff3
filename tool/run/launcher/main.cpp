// SPDX-License-Identifier: Apache-2.0
// linn-launcher: starts the program that is measured, waits for it, and ends what it leaves behind. It is a program of
// its own, and a small one, because the kernel counts the memory of the process that forks into the peak of the one
// that execs: started by the tool itself, /bin/true would seem to need tens of megabytes.
#include "../../measure/ticks.hpp"
#include "protocol.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <iterator>

extern char** environ;

namespace linn::tool::launcher {
namespace {

constexpr long ms = 1'000'000;
constexpr std::uint64_t leave_grace_ns = 100 * ms;  ///< for processes that are just ending with the program
constexpr std::uint64_t polite_ns = 250 * ms;       ///< between SIGTERM and SIGKILL
constexpr std::uint64_t stubborn_ns = 10'000u * ms; ///< after which a process counts as unkillable

void send(const report& r) noexcept {
    // There is no process left to report a failure to.
    [[maybe_unused]] const ssize_t written = ::write(report_fd, &r, sizeof r);
}

[[noreturn]] void give_up(report& r, step failed, int error) noexcept {
    r.failed = failed;
    r.error = error;
    send(r);
    ::_exit(1);
}

/// Where the probe finds the program's process id: room for ten digits. Null: no probe is loaded.
char* digits_of_pid() noexcept {
    return std::getenv("LD_PRELOAD") != nullptr ? std::getenv("LINN_PROBE") : nullptr;
}

struct process {
    pid_t pid;
    pid_t parent;
    bool is_alive; ///< no zombie
    bool is_below; ///< this process started it, or one that is below
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

/// Sends a signal, or none for 0, to the living processes below this one, in any session or group, as /proc shows them now.
/// Returns how many there are.
std::size_t signal_descendants(int number) noexcept {
    static process all[65'536];
    process* end = all;
    DIR* const directory = ::opendir("/proc");
    if (directory == nullptr) {
        return 0;
    }
    while (const dirent* const entry = end != std::end(all) ? ::readdir(directory) : nullptr) {
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && read_process(entry->d_name, *end)) {
            ++end;
        }
    }
    ::closedir(directory);
    std::size_t count = 0;
    // A family is not sorted by number: repeat until no generation is added.
    const pid_t self = ::getpid();
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (process* p = all; p != end; ++p) {
            const auto is_parent = [p](const process& q) { return q.is_below && q.pid == p->parent; };
            if (!p->is_below && (p->parent == self || std::any_of(all, end, is_parent))) {
                p->is_below = has_changed = true;
                count += p->is_alive ? 1 : 0;
                ::kill(p->pid, number);
            }
        }
    }
    return count;
}

/// The program and what it started.
class family {
public:
    explicit family(report& r) noexcept : report_(r) {}

    void start(char** arguments) noexcept {
        char* const digits = digits_of_pid();
        sigset_t none;
        sigemptyset(&none);
        volatile int exec_error = 0; // the child of vfork writes into this process's memory
        started_ = now_ns();
        main_ = ::vfork();
        if (main_ == 0) {
            pid_t pid = ::getpid();
            for (int i = 9; digits != nullptr && i >= 0; --i, pid /= 10) {
                digits[i] = static_cast<char>('0' + pid % 10);
            }
            // What the program sends to its own group does not reach this process.
            ::setpgid(0, 0);
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            ::sigprocmask(SIG_SETMASK, &none, nullptr);
            ::execve(arguments[argument::program], arguments + argument::first, environ);
            exec_error = errno;
            ::_exit(127);
        }
        if (main_ < 0) {
            give_up(report_, step::fork, errno);
        }
        if (exec_error != 0) {
            give_up(report_, step::exec, exec_error);
        }
    }

    /// Until the program has ended, of itself or because the tool wishes so.
    void wait(const sigset_t& wanted) noexcept {
        while (!ended_) {
            const int got = ::sigwaitinfo(&wanted, nullptr);
            if (got == SIGUSR1) {
                ::kill(main_, SIGTERM);
            } else if (got == SIGCHLD) {
                reap();
            } else if (got > 0) {
                end_all();
            }
        }
    }

    /// Ends what the program left behind.
    void clean_up() noexcept {
        const std::uint64_t deadline = now_ns() + leave_grace_ns;
        while (reap() && now_ns() < deadline) {
            pause(1);
        }
        if (!reap()) {
            return;
        }
        report_.left_behind = static_cast<std::uint32_t>(signal_descendants(0));
        end_all();
    }

private:
    /// Collects all that have ended; true when children are left.
    bool reap() noexcept {
        look();
        for (;;) {
            int status = 0;
            const pid_t pid = ::wait4(-1, &status, WNOHANG, nullptr);
            if (pid == 0) {
                return true;
            }
            if (pid < 0) {
                return errno == EINTR;
            }
            if (pid == main_) {
                report_.status = status;
            }
        }
    }

    /// Looks whether the program has ended, before it is collected: until then its name can be read.
    void look() noexcept {
        siginfo_t info{};
        if (ended_ || ::waitid(P_PID, static_cast<id_t>(main_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
            info.si_pid != main_) {
            return;
        }
        report_.wall_ns = now_ns() - started_;
        ended_ = true;
        char path[32];
        std::snprintf(path, sizeof path, "/proc/%d/comm", static_cast<int>(main_));
        const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0) {
            return;
        }
        char name[sizeof report_.last_name + 1] = {}; // with its line feed
        if (::read(fd, name, sizeof name - 1) > 0) {
            std::memcpy(report_.last_name, name, std::strcspn(name, "\n"));
        }
        ::close(fd);
    }

    static void pause(long milliseconds) noexcept {
        sigset_t child;
        sigemptyset(&child);
        sigaddset(&child, SIGCHLD);
        const timespec wait{0, milliseconds * ms};
        ::sigtimedwait(&child, nullptr, &wait);
    }

    void end_all() noexcept {
        signal_descendants(SIGTERM);
        signal_descendants(SIGCONT); // a process that is stopped does not see the first one
        for (const std::uint64_t deadline = now_ns() + polite_ns; reap() && now_ns() < deadline;) {
            pause(2);
        }
        // Again and again: what is started meanwhile is found in the next round.
        for (const std::uint64_t deadline = now_ns() + stubborn_ns; reap() && now_ns() < deadline;) {
            signal_descendants(SIGKILL);
            pause(2);
        }
        ended_ = true;
    }

    report& report_;
    pid_t main_ = 0;
    std::uint64_t started_ = 0;
    bool ended_ = false;
};

int run(char** arguments) noexcept {
    // What the tool holds open is not the program's business.
    ::fcntl(report_fd, F_SETFD, FD_CLOEXEC);
    ::syscall(SYS_close_range, report_fd + 1, ~0u, 0);

    // No handler runs here: everything is blocked, by the tool already, and waited for.
    sigset_t all;
    sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
    // By system calls: the C library hides the two signals that it uses itself, and its posix_spawn ignores them.
    const char default_action[64] = {};
    for (int number = 1; number < NSIG; ++number) {
        ::syscall(SYS_rt_sigaction, number, default_action, nullptr, NSIG / 8);
    }
    sigset_t wanted;
    sigemptyset(&wanted);
    for (const int number : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGUSR1}) {
        sigaddset(&wanted, number);
    }

    report r;
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != std::atoi(arguments[argument::parent])) {
        ::_exit(1); // it is gone
    }
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (*arguments[argument::directory] != '\0' && ::chdir(arguments[argument::directory]) != 0) {
        give_up(r, step::directory, errno);
    }
    if (*arguments[argument::preload] != '\0' &&
        ::setenv("LD_PRELOAD", arguments[argument::preload], 1) != 0) {
        give_up(r, step::fork, errno);
    }

    family program{r};
    program.start(arguments);
    program.wait(wanted);
    program.clean_up();
    ::getrusage(RUSAGE_CHILDREN, &r.used);
    send(r);
    return 0;
}

} // namespace
} // namespace linn::tool::launcher

int main(int count, char** arguments) {
    if (count <= linn::tool::launcher::argument::first) {
        std::fputs("linn-launcher is a part of linn and is started by it: linn run --help\n", stderr);
        return 2;
    }
    return linn::tool::launcher::run(arguments);
}
