// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
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

/// A field of /proc/PID/stat, or of a thread's file of that name, numbered as in proc(5) from the third on; empty where there is none.
std::string stat_field(const std::string& folder, std::size_t number);

/// CPU time that a process has used, in nanoseconds; 0 where it has ended.
struct used_time {
    double user_ns = 0;
    double system_ns = 0;
};
used_time time_used_by(pid_t pid);

/// The ids of a process's threads.
std::vector<pid_t> threads_of(pid_t pid);

/// The memory of another process, as far as it may be read and written.
class process_memory {
public:
    explicit process_memory(pid_t pid) noexcept : pid_(pid) {}

    bool read(std::uint64_t from, void* to, std::size_t bytes) const noexcept;
    bool write(std::uint64_t to, const void* from, std::size_t bytes) const noexcept;

    template <class T>
    std::optional<T> get(std::uint64_t from) const {
        T value{};
        return read(from, &value, sizeof value) ? std::optional{value} : std::nullopt;
    }

private:
    pid_t pid_;
};

/// A line of /proc/PID/maps.
struct mapping {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t offset = 0;
    bool is_code = false;
    std::string path; ///< as the kernel names it: also [stack], and "… (deleted)"

    /// "libc.so.6" of "/lib/libc.so.6 (deleted)".
    std::string file_name() const;
    bool is_libc() const { return file_name().starts_with("libc.so"); }
};

/// What is mapped into a process, in the order of addresses; empty where it cannot be read.
std::vector<mapping> read_mappings(pid_t pid);

/// The mapping that holds an address; null where there is none.
const mapping* mapping_at(const std::vector<mapping>& all, std::uint64_t address);

} // namespace linn::tool::attach
