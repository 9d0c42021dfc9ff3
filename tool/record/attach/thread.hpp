// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "process.hpp"

#include <sys/user.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace linn::tool::attach {

/// A thread of another process that stands still, and calls functions of its process on its own stack. It goes on as if nothing had been
/// when this goes away, and also when this process is killed: a called function returns into a frame as of a signal handler, from which the
/// kernel restores the thread. No signal is lost, and no byte of the program's code changes.
class borrowed_thread {
public:
    /// Bytes of the thread's stack that its frame and the called functions may use.
    static constexpr std::uint64_t stack_bytes = std::uint64_t{96} << 10;

    borrowed_thread(pid_t pid, pid_t tid);
    borrowed_thread(const borrowed_thread&) = delete;
    borrowed_thread& operator=(const borrowed_thread&) = delete;
    ~borrowed_thread();

    /// An error number where it may not be traced, or 0.
    int error() const noexcept { return error_; }
    bool stands_still() const noexcept { return state_ == state::held; }
    /// Of the thread as it was. @pre stands_still()
    const user_regs_struct& registers() const noexcept { return registers_; }

    /// Makes the thread ready for calls. `text` is for them to read: text(). False if the thread could not be restored with certainty.
    /// @pre stands_still()
    bool prepare(const std::vector<mapping>& mappings, const std::string& text);
    std::uint64_t text() const noexcept { return text_; }
    /// Calls a function and waits until it has returned. False if the thread has ended, or the function has not returned in time: then it
    /// goes on, and the thread is restored by itself. @pre prepare()
    bool call(std::uint64_t function, std::uint64_t first = 0, std::uint64_t second = 0);

private:
    enum class state {
        runs,
        held,       ///< it stands still, and goes on where it was
        at_syscall, ///< it stands still where it enters or has left a system call
        gone,       ///< it has ended, or is not traced
    };

    bool trace(int request, std::uint64_t where = 0, const void* data = nullptr) const noexcept;
    user_regs_struct current_registers() const noexcept;
    state judge(int status) noexcept;
    state wait(std::chrono::milliseconds most) noexcept;
    void restore() noexcept;

    process_memory memory_;
    pid_t tid_;
    int error_ = 0;
    state state_ = state::gone;
    user_regs_struct registers_{};
    std::vector<unsigned char> extended_;
    std::uint64_t mask_ = 0;
    std::uint64_t frame_ = 0;
    std::uint64_t text_ = 0;
    bool has_returned_ = false; ///< it stands at the end of a call
};

enum class fit_for {
    loading, ///< a library: it has no lock of the loader or the allocator
    calls,
};

/// Borrows one thread of a process after the other that is fit and ready for calls, until `use` returns true. 0, or why it did not:
/// ESRCH, EPERM, or after ten seconds ETIMEDOUT.
int borrow(pid_t pid, fit_for what, const std::string& text,
           const std::function<bool(borrowed_thread&)>& use);

} // namespace linn::tool::attach
