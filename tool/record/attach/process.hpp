// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace linn::tool::attach {

/// What /proc says of a process before it is recorded.
struct process_facts {
    pid_t pid = 0;
    std::string name;                 ///< of its executable, without the directory
    std::vector<std::string> command; ///< as it shows it
    std::string directory;            ///< the one it works in
    double age_ns = 0;                ///< since it was started
    std::string problem;              ///< why it cannot be recorded, and what to do; empty: nothing is known
    bool is_usage_error = false;      ///< of `problem`: there is no such process
};

/// Reads them, and refuses what cannot be attached to. Changes nothing.
process_facts examine_process(pid_t pid);

/// Why no thread could be used, as borrow() says it, and what to do.
std::string why_not_traceable(pid_t pid, int error);

/// CPU time that a process has used; 0 where it has ended.
struct used_time {
    double all_ns = 0;
    double system_ns = 0; ///< to 10 ms
};
used_time time_used_by(pid_t pid);

/// The ids of a process's threads.
std::vector<pid_t> threads_of(pid_t pid);

/// Whether the kernel does not let go of a thread just now.
bool is_uninterruptible(pid_t pid, pid_t tid);

/// Whether it executes a program: one that ends does not any more.
bool has_program(pid_t pid);

/// False where the other process's memory may not be read or written, or there is none.
bool read_memory(pid_t pid, std::uint64_t from, void* to, std::size_t bytes) noexcept;
bool write_memory(pid_t pid, std::uint64_t to, const void* from, std::size_t bytes) noexcept;
template <class T>
std::optional<T> read_memory(pid_t pid, std::uint64_t from) {
    T value{};
    return read_memory(pid, from, &value, sizeof value) ? std::optional{value} : std::nullopt;
}

/// A line of /proc/PID/maps.
struct mapping {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t offset = 0;
    bool is_code = false;
    bool may_hold_locks = false; ///< of code: those of the allocator or the loader
    std::string path;            ///< as the kernel names it: also [stack], and "… (deleted)"

    /// "libc.so.6" of "/lib/libc.so.6 (deleted)".
    std::string file_name() const;
    bool is_libc() const { return file_name().starts_with("libc.so"); }
};

/// What is mapped into a process, in the order of addresses; empty where it cannot be read.
std::vector<mapping> read_mappings(pid_t pid);

/// The mapping that holds an address; null where there is none.
const mapping* mapping_at(const std::vector<mapping>& all, std::uint64_t address);

/// Calls a function in the other process, and waits until it has returned. False if the thread has ended, or the function has not
/// returned in time.
using remote_call = std::function<bool(std::uint64_t function, std::uint64_t first, std::uint64_t second)>;

/// Stops one thread of a process after the other until one is fit for calls, and `use`, which makes them, returns true. It gets the
/// address of `text` in the process, which is the path of a library to open; without one, any thread will do. The thread then goes on
/// as if nothing had been. Returns 0, or why no thread did: ESRCH, EPERM, or after ten seconds ETIMEDOUT. On x86-64 only.
int borrow(pid_t pid, const std::string& text,
           const std::function<bool(const remote_call& call, std::uint64_t text)>& use);

} // namespace linn::tool::attach
