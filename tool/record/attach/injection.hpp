// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "held_thread.hpp"
#include "process_memory.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

namespace linn::tool::attach {

/// Calls functions in a thread that is held, on its own stack, and makes as if nothing had been. The called function returns
/// into a frame as of a signal handler: should this process be killed, the kernel restores the thread from it. No byte of the
/// program's code changes. x86-64.
class injection {
public:
    enum class outcome { returned, late, gone };

    /// Bytes of the thread's stack that its frame and the called functions may use.
    static constexpr std::uint64_t stack_bytes = std::uint64_t{96} << 10;

    /// Bytes that scratch() names.
    static constexpr std::uint64_t scratch_bytes = 4096;

    /// `restorer`: the address of the code that returns from signal handlers. @pre the thread is held
    injection(held_thread& thread, const process_memory& memory, std::uint64_t restorer) noexcept
        : thread_(thread),
          memory_(memory),
          restorer_(restorer) {}
    injection(const injection&) = delete;
    injection& operator=(const injection&) = delete;
    ~injection();

    /// Notes what the thread was doing. False if it cannot be restored with certainty.
    bool begin();
    /// Memory of the thread for what the called functions read. @pre begin()
    std::uint64_t scratch() const noexcept { return scratch_; }
    /// Calls the function and waits until it has returned. `meanwhile` is called at each of its system calls, while the thread
    /// stands still. What has not returned after `most` goes on, and restores the thread by itself.
    outcome call(std::uint64_t function, std::array<std::uint64_t, 2> arguments,
                 std::chrono::milliseconds most, const std::function<void()>& meanwhile);
    /// Restores the thread, which is held then as before. False if it has ended.
    bool end();

private:
    std::vector<unsigned char> frame_at(std::uint64_t address, std::uint64_t state_at) const;

    held_thread& thread_;
    const process_memory& memory_;
    std::uint64_t restorer_;
    user_regs_struct registers_{};
    std::vector<unsigned char> extended_;
    std::uint64_t mask_ = 0;
    std::uint64_t frame_ = 0;
    std::uint64_t scratch_ = 0;
    bool is_inside_ = false; ///< the thread stands at the end of a call
};

/// Where the C library returns from signal handlers; 0 where that cannot be found.
std::uint64_t find_restorer(const process_memory& memory, const std::vector<mapping>& mappings);

} // namespace linn::tool::attach
