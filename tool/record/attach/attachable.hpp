// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
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

/// Why ptrace was refused with this error, and what to do.
std::string why_not_traceable(pid_t pid, int error);

/// CPU time that a process has used, in nanoseconds; 0 where it has ended.
struct used_time {
    double user_ns = 0;
    double system_ns = 0;
};
used_time time_used_by(pid_t pid);

} // namespace linn::tool::attach
