// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "process.hpp"

#include <sys/user.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace linn::tool::attach {

/// A thread of another process that this thread traces. It goes on as if nothing had been when the last of this goes away, and
/// also when this process is killed. No signal is lost.
class held_thread {
public:
    enum class state {
        runs,
        held,       ///< it stands still, and goes on where it was
        at_syscall, ///< it stands still where it enters or has left a system call
        gone,       ///< it has ended, or is not traced
    };

    explicit held_thread(pid_t tid) noexcept : tid_(tid) {}
    held_thread(const held_thread&) = delete;
    held_thread& operator=(const held_thread&) = delete;
    ~held_thread() { release(); }

    /// Begins to trace it, and asks it to stand still; an error number, or 0.
    int seize() noexcept;
    /// Waits until it stands still; signals that come for it meanwhile reach it.
    state wait(std::chrono::milliseconds most) noexcept;
    state now() const noexcept { return state_; }
    /// Lets it go on to the next system call.
    void go_on() noexcept;
    /// Lets it go on, and stops it before it executes anything of its own.
    state stop_again() noexcept;
    /// Lets it go, for good. It may have to stand still first.
    void release() noexcept;

    /// @pre it stands still
    user_regs_struct registers() const noexcept;
    /// A request of ptrace for this thread. Most need it to stand still.
    bool trace(int request, std::uint64_t where = 0, const void* data = nullptr) const noexcept;

private:
    state judge(int status) noexcept;

    pid_t tid_;
    state state_ = state::gone;
};

/// All threads of a process, held.
class held_process {
public:
    explicit held_process(pid_t pid) noexcept : pid_(pid) {}

    /// Holds every thread, also those that are created meanwhile. Threads that the kernel does not let go of count as held: they
    /// stop before they execute anything. False if some go on after a while.
    bool hold();
    /// Lets all go on but `kept`, and those that do not stand still yet: these later. True when none is left.
    bool let_go(const held_thread* kept = nullptr);

    std::map<pid_t, held_thread>& threads() noexcept { return threads_; }

private:
    pid_t pid_;
    std::map<pid_t, held_thread> threads_;
};

/// Calls functions in a thread that is held, on its own stack, and makes as if nothing had been. The called function returns
/// into a frame as of a signal handler: should this process be killed, the kernel restores the thread from it. No byte of the
/// program's code changes.
class injection {
public:
    /// Bytes of the thread's stack that its frame and the called functions may use.
    static constexpr std::uint64_t stack_bytes = std::uint64_t{96} << 10;
    /// Bytes that scratch() names.
    static constexpr std::uint64_t scratch_bytes = 4096;

    /// @pre the thread is held
    injection(held_thread& thread, const process_memory& memory) noexcept
        : thread_(thread),
          memory_(memory) {}
    injection(const injection&) = delete;
    injection& operator=(const injection&) = delete;
    ~injection() { end(); }

    /// Notes what the thread was doing. False if it cannot be restored with certainty.
    bool begin(const std::vector<mapping>& mappings);
    /// Memory of the thread for what the called functions read. @pre begin()
    std::uint64_t scratch() const noexcept { return scratch_; }
    /// Calls the function and waits until it has returned. `meanwhile` is called at each of its system calls, while the thread
    /// stands still. False if it has ended, or has not returned in time: then it goes on, and restores the thread by itself.
    bool call(std::uint64_t function, std::uint64_t first = 0, std::uint64_t second = 0,
              const std::function<void()>& meanwhile = {});
    /// Restores the thread, which is held then as before.
    void end();

private:
    held_thread& thread_;
    const process_memory& memory_;
    user_regs_struct registers_{};
    std::vector<unsigned char> extended_;
    std::uint64_t mask_ = 0;
    std::uint64_t frame_ = 0;
    std::uint64_t scratch_ = 0;
    bool is_inside_ = false; ///< the thread stands at the end of a call
};

} // namespace linn::tool::attach
