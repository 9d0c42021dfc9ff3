// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "interrupt.hpp"
#include "owned_fd.hpp"

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

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
