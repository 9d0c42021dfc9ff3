// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <sys/user.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace linn::tool::attach {

/// Where a thread that stands still goes on.
inline std::uint64_t code_address(const user_regs_struct& registers) noexcept {
#if defined(__x86_64__)
    return registers.rip;
#else
    return registers.pc;
#endif
}
/// Where its stack ends.
inline std::uint64_t stack_address(const user_regs_struct& registers) noexcept {
#if defined(__x86_64__)
    return registers.rsp;
#else
    return registers.sp;
#endif
}

/// A thread of another process that this thread traces. It goes on as if nothing had been when the last of this goes away, and
/// also when this process is killed. No signal is lost.
class held_thread {
public:
    /// What a thread does.
    enum class state {
        runs,
        held,       ///< it stands still, and goes on where it was
        at_syscall, ///< it stands still where it enters or has left a system call
        gone,       ///< it has ended, or may not be traced
    };

    explicit held_thread(pid_t tid) noexcept : tid_(tid) {}
    held_thread(const held_thread&) = delete;
    held_thread& operator=(const held_thread&) = delete;
    ~held_thread();

    /// Begins to trace it; an error number, or 0.
    int seize() noexcept;
    /// Asks it to stand still; wait() says when it does.
    void interrupt() noexcept;
    /// Waits until it stands still; signals that come for it meanwhile reach it.
    state wait(std::chrono::milliseconds most) noexcept;
    state now() const noexcept { return state_; }

    /// Lets it go on, to the next system call or to where it is interrupted.
    void go_on(bool until_syscall) noexcept;
    /// Lets it go, for good. It may have to stand still first.
    void release() noexcept;

    pid_t tid() const noexcept { return tid_; }
    bool is_stopped_by_job_control() const noexcept { return is_group_stopped_; }

    // All below: @pre it stands still
    bool get_registers(user_regs_struct& into) const noexcept;
    bool set_registers(const user_regs_struct& from) noexcept;
    /// The processor's other registers, as the kernel lays them out for XSAVE.
    std::vector<unsigned char> extended_state() const;
    bool set_extended_state(std::vector<unsigned char>& from) noexcept;
    std::uint64_t signal_mask() const noexcept;
    bool set_signal_mask(std::uint64_t mask) noexcept;

private:
    state judge(int status) noexcept;

    pid_t tid_;
    state state_ = state::gone;
    bool is_group_stopped_ = false;
};

/// All threads of a process, held.
class held_process {
public:
    explicit held_process(pid_t pid) noexcept : pid_(pid) {}

    /// Holds every thread, also those that are created meanwhile. Threads that the kernel does not let go of count as held: they
    /// stop before they execute anything. False if some go on after `most`.
    bool hold(std::chrono::milliseconds most);
    /// Lets them go on; those that did not stand still yet later, in settle().
    void let_go();
    /// Releases the threads that could not be released before. True when none is left.
    bool settle();

    const std::map<pid_t, std::unique_ptr<held_thread>>& threads() const noexcept { return threads_; }

private:
    pid_t pid_;
    std::map<pid_t, std::unique_ptr<held_thread>> threads_;
};

/// The ids of a process's threads.
std::vector<pid_t> threads_of(pid_t pid);

} // namespace linn::tool::attach
