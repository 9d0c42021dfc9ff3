// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../trace/info.hpp"

#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace linn::tool {

/// How a program ended, and what is told of that to none but this process.
struct program_end : program_outcome {
    double wall_ns = 0;
    double queued_ns = 0;            ///< of these, its first thread waited for a processor; 0: not known
    std::uint64_t written_bytes = 0; ///< of files on disks, in whole pages
    int stopped_by = 0;              ///< SIGINT, SIGTERM or SIGHUP that came for it; 0: none did
    bool was_told = false;           ///< a signal came for it while it ran, from a user or another program
    bool had_orphans = false;        ///< processes that it left behind have ended, and count
};

/// Keeps the signals that concern the program out of this process while it lives: they are blocked in the threads
/// started from then on, and `wait_for_program` hands them on. Writing to what is closed or full is an error
/// rather than a signal.
class signal_desk {
public:
    signal_desk();
    signal_desk(const signal_desk&) = delete;
    signal_desk& operator=(const signal_desk&) = delete;
    ~signal_desk();

    const sigset_t& watched() const noexcept { return watched_; }
    /// The mask for a child: that of before, without what an interrupt_guard around blocks for itself.
    const sigset_t& mask_of_child() const noexcept { return mask_of_child_; }
    /// The signals whose handling a child must get back.
    const sigset_t& changed() const noexcept { return changed_; }

    /// Takes one signal that arrives within `time`; one that asks this process to stop, or nothing.
    std::optional<siginfo_t> wait_for_stop(std::chrono::milliseconds time) const;

private:
    sigset_t watched_{};
    sigset_t old_mask_{};
    sigset_t mask_of_child_{};
    sigset_t changed_{};
    struct sigaction old_actions_[3]{};
};

/// Whether a process sent the signal: what the terminal sent went to the whole process group.
bool came_from_process(const siginfo_t& signal) noexcept;

/// A program in this process's terminal and process group.
class child_program {
public:
    /// @param adopts this process becomes the parent of the processes that the program leaves behind: only a parent is told their CPU
    /// time, and can collect them
    explicit child_program(const signal_desk& desk, bool adopts = false) noexcept;
    child_program(const child_program&) = delete;
    child_program& operator=(const child_program&) = delete;

    /// Starts it, with a file as its standard input where one is named, and the `silent` streams to /dev/null. Returns an empty
    /// string or what went wrong.
    std::string start(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                      const std::vector<std::string>& environment, const std::filesystem::path& input = {},
                      const std::vector<int>& silent = {});

    /// Waits until it ends, and hands signals on to it meanwhile; those of the terminal it gets without help.
    program_end wait();

    /// Collects what has ended, adopted processes too, whose CPU time and page faults it adds. True once the program has ended.
    bool collect(program_end& end);

    pid_t pid() const noexcept { return pid_; }

private:
    const signal_desk& desk_;
    bool adopts_;
    bool is_finished_ = false;
    pid_t pid_ = -1;
    std::uint64_t started_ns_ = 0;
};

} // namespace linn::tool
