// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linn::tool {

/// Those below have a meaning in what is started: the standard streams, and where linn-launcher writes its report.
inline constexpr int first_owned_fd = 4;

/// A file descriptor that closes itself.
class owned_fd {
public:
    owned_fd() = default;

    explicit owned_fd(int fd) noexcept : fd_(fd) {
        // Started with closed standard streams, the tool would get their numbers, and the actions of a spawn, which run in
        // order, would overwrite one with another.
        if (fd >= 0 && fd < first_owned_fd) {
            fd_ = ::fcntl(fd, F_DUPFD_CLOEXEC, first_owned_fd);
            ::close(fd);
        }
    }

    owned_fd(owned_fd&& other) noexcept : fd_(other.release()) {}

    owned_fd& operator=(owned_fd&& other) noexcept {
        if (fd_ >= 0 && this != &other) {
            ::close(fd_);
        }
        fd_ = other.release();
        return *this;
    }

    ~owned_fd() {
        if (fd_ >= 0) {
            ::close(fd_);
        }
    }

    int get() const noexcept { return fd_; }
    int release() noexcept { return std::exchange(fd_, -1); }
    explicit operator bool() const noexcept { return fd_ >= 0; }

private:
    int fd_ = -1;
};

/// While it lives, SIGINT, SIGTERM and SIGHUP are blocked except inside `ppoll` with `wait_mask()`, where they only
/// set `pending()`: no signal can fall between a check and a wait.
class interrupt_guard {
public:
    interrupt_guard();
    interrupt_guard(const interrupt_guard&) = delete;
    interrupt_guard& operator=(const interrupt_guard&) = delete;
    ~interrupt_guard();

    /// The signal that asked to stop, or 0.
    static int pending() noexcept;

    /// The same, with what has arrived since the last wait: for work that waits for nothing.
    int poll() const noexcept;

    /// `wait_mask()` of the guard that lives; null: none does.
    static const sigset_t* outer_mask() noexcept;

    /// The mask to wait with, which is also the one to give to children.
    const sigset_t& wait_mask() const noexcept { return old_mask_; }

private:
    sigset_t old_mask_{};
    struct sigaction old_actions_[3]{};
};

/// Where long work stands, for a progress line.
struct work_progress {
    std::size_t done = 0;
    std::size_t total = 0; ///< 0: not known yet
    unsigned repeated = 0; ///< steps done again because the machine was disturbed
    std::string doing;
    std::optional<double> seconds_left = {}; ///< where it is known better than from `done` of `total`
};

struct pipe_ends {
    owned_fd read;
    owned_fd write;
};

/// A new pipe, closed in what is started; no ends where there can be none, and `errno` says why.
pipe_ends make_pipe() noexcept;

/// Starts a program. Its descriptors 0, 1, 2 and so on are those given, /dev/null for -1; its signals have their default
/// action and `mask`. Returns its process id, or -errno.
/// @param flags POSIX_SPAWN_SETPGROUP or POSIX_SPAWN_SETSID
pid_t spawn(const std::vector<std::string>& command, const std::vector<std::string>& environment,
            std::initializer_list<int> descriptors, int flags, const sigset_t& mask);

/// How a child process ended and what it wrote.
struct child_result {
    enum class ending { exited, signalled, timed_out, interrupted, not_started };

    ending how = ending::not_started;
    int code = 0; ///< exit status, signal number or errno
    std::string out;
    std::string err; ///< the first 4 KiB
};

/// Runs a program and waits for it. It is killed, and reaped, when `timeout` has passed or when `guard` has a
/// signal pending; it is in a process group of its own, so that a Ctrl-C reaches this process alone. `tick` is
/// called a few times a second.
child_result run_child(const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
                       std::chrono::seconds timeout, const interrupt_guard& guard,
                       const std::function<void()>& tick);

/// "SIGINT", or "signal 64" for one without a name.
std::string signal_name(int signal);

/// The strings as a null-terminated vector of pointers, for execve and posix_spawn; valid as long as they are.
std::vector<char*> pointers(const std::vector<std::string>& strings);

/// The strings of a list as /proc has them, where each ends with a zero byte.
std::vector<std::string> strings_of(std::string_view list);

/// The fields of /proc/PID/stat from the third on, which is the state; those of a thread of the process where `tid` is not 0. Empty
/// where they cannot be read, and `errno` says why.
std::vector<std::string> stat_of(pid_t pid, pid_t tid = 0);

/// Whether a process executes a program: one that ends does not any more.
bool has_program(pid_t pid);

/// A line of /proc/PID/maps.
struct mapping {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t offset = 0;
    bool is_code = false;
    std::string path; ///< as the kernel names it: also [stack], and "… (deleted)"

    /// "libc.so.6" of "/lib/libc.so.6 (deleted)".
    std::string file_name() const;
};

/// What is mapped into a process, in the order of addresses; empty where it cannot be read.
std::vector<mapping> read_mappings(pid_t pid);

/// Says in words why a child did not succeed: "killed by SIGSEGV", "timed out after 60 s" …
std::string describe_ending(const child_result& result, std::chrono::seconds timeout);

/// A value of LD_PRELOAD: `library`, which may be empty, before those that this process has there.
std::string preloaded_first(const std::string& library);

/// This process's environment without LD_PRELOAD, and with it set to `library` unless that is empty. `more` are
/// NAME=value that replace what this process has under those names.
std::vector<std::string> child_environment(const std::string& library,
                                           const std::vector<std::string>& more = {});

} // namespace linn::tool
