// SPDX-License-Identifier: Apache-2.0
#include "held_thread.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <thread>

namespace linn::tool::attach {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::chrono::microseconds shortest_nap{20};
constexpr std::chrono::microseconds longest_nap{1000};
constexpr std::size_t most_state_bytes = std::size_t{64} << 10; // of a processor with AMX: 11 KiB

long trace(__ptrace_request what, pid_t tid, std::uintptr_t where, std::uintptr_t data) noexcept {
    return ::ptrace(what, tid, reinterpret_cast<void*>(where), reinterpret_cast<void*>(data));
}

/// Whether the kernel works for the thread without letting itself be interrupted.
bool is_uninterruptible(pid_t pid, pid_t tid) {
    std::ifstream in{fmt::format("/proc/{}/task/{}/stat", pid, tid)};
    std::string text;
    std::getline(in, text);
    const std::size_t name_end = text.rfind(')');
    return name_end != std::string::npos && name_end + 2 < text.size() && text[name_end + 2] == 'D';
}

} // namespace

held_thread::~held_thread() {
    release();
}

int held_thread::seize() noexcept {
    if (trace(PTRACE_SEIZE, tid_, 0, PTRACE_O_TRACESYSGOOD) != 0) {
        return errno;
    }
    state_ = state::runs;
    return 0;
}

void held_thread::interrupt() noexcept {
    trace(PTRACE_INTERRUPT, tid_, 0, 0);
}

held_thread::state held_thread::judge(int status) noexcept {
    if (!WIFSTOPPED(status)) {
        return state::gone;
    }
    const int signal = WSTOPSIG(status);
    if (status >> 16 == PTRACE_EVENT_STOP) {
        is_group_stopped_ = signal != SIGTRAP;
        return state::held;
    }
    if (signal == (SIGTRAP | 0x80)) {
        return state::at_syscall;
    }
    // A signal: the program gets it.
    trace(PTRACE_CONT, tid_, 0, static_cast<std::uintptr_t>(signal));
    return state::runs;
}

held_thread::state held_thread::wait(std::chrono::milliseconds most) noexcept {
    const auto end = clock::now() + most;
    auto nap = shortest_nap;
    while (state_ == state::runs) {
        int status = 0;
        const pid_t got = ::waitpid(tid_, &status, __WALL | WNOHANG);
        if (got == tid_) {
            state_ = judge(status);
            continue;
        }
        if (got < 0 && errno != EINTR) {
            state_ = state::gone;
        } else if (clock::now() >= end) {
            break;
        } else {
            std::this_thread::sleep_for(nap);
            nap = std::min(nap * 2, longest_nap);
        }
    }
    return state_;
}

void held_thread::go_on(bool until_syscall) noexcept {
    if (state_ != state::gone) {
        state_ = state::runs;
        trace(until_syscall ? PTRACE_SYSCALL : PTRACE_CONT, tid_, 0, 0);
    }
}

void held_thread::release() noexcept {
    if (state_ == state::runs) {
        interrupt();
        wait(std::chrono::milliseconds{100});
    }
    if (state_ == state::held || state_ == state::at_syscall) {
        trace(PTRACE_DETACH, tid_, 0, 0);
        state_ = state::gone;
    }
}

bool held_thread::get_registers(user_regs_struct& into) const noexcept {
    iovec v{&into, sizeof into};
    return trace(PTRACE_GETREGSET, tid_, NT_PRSTATUS, reinterpret_cast<std::uintptr_t>(&v)) == 0;
}

bool held_thread::set_registers(const user_regs_struct& from) noexcept {
    iovec v{const_cast<user_regs_struct*>(&from), sizeof from};
    return trace(PTRACE_SETREGSET, tid_, NT_PRSTATUS, reinterpret_cast<std::uintptr_t>(&v)) == 0;
}

std::vector<unsigned char> held_thread::extended_state() const {
    std::vector<unsigned char> bytes(most_state_bytes);
    iovec v{bytes.data(), bytes.size()};
    const bool is_known =
        trace(PTRACE_GETREGSET, tid_, NT_X86_XSTATE, reinterpret_cast<std::uintptr_t>(&v)) == 0;
    bytes.resize(is_known ? v.iov_len : 0);
    return bytes;
}

bool held_thread::set_extended_state(std::vector<unsigned char>& from) noexcept {
    iovec v{from.data(), from.size()};
    return trace(PTRACE_SETREGSET, tid_, NT_X86_XSTATE, reinterpret_cast<std::uintptr_t>(&v)) == 0;
}

std::uint64_t held_thread::signal_mask() const noexcept {
    std::uint64_t mask = 0;
    trace(PTRACE_GETSIGMASK, tid_, sizeof mask, reinterpret_cast<std::uintptr_t>(&mask));
    return mask;
}

bool held_thread::set_signal_mask(std::uint64_t mask) noexcept {
    return trace(PTRACE_SETSIGMASK, tid_, sizeof mask, reinterpret_cast<std::uintptr_t>(&mask)) == 0;
}

std::vector<pid_t> threads_of(pid_t pid) {
    std::vector<pid_t> found;
    std::error_code error;
    for (std::filesystem::directory_iterator at{fmt::format("/proc/{}/task", pid), error}, end;
         !error && at != end; at.increment(error)) {
        const std::string name = at->path().filename().string();
        pid_t tid = 0;
        std::from_chars(name.data(), name.data() + name.size(), tid);
        found.push_back(tid);
    }
    return found;
}

bool held_process::hold(std::chrono::milliseconds most) {
    const auto end = clock::now() + most;
    for (;;) {
        bool is_new = false;
        for (const pid_t tid : threads_of(pid_)) {
            auto& thread = threads_[tid];
            if (thread == nullptr || thread->now() == held_thread::state::gone) {
                thread = std::make_unique<held_thread>(tid);
                if (thread->seize() == 0) {
                    thread->interrupt();
                    is_new = true;
                } else {
                    threads_.erase(tid); // it has ended
                }
            }
        }
        bool all_stand = true;
        for (auto& [tid, thread] : threads_) {
            if (thread->wait(std::chrono::milliseconds{2}) == held_thread::state::runs &&
                !is_uninterruptible(pid_, tid)) {
                all_stand = false;
            }
        }
        // No thread was left that could have created another.
        if (!is_new && all_stand) {
            return true;
        }
        if (clock::now() >= end) {
            return false;
        }
    }
}

void held_process::let_go() {
    settle();
}

bool held_process::settle() {
    for (auto at = threads_.begin(); at != threads_.end();) {
        held_thread& thread = *at->second;
        thread.wait(std::chrono::milliseconds{0});
        if (thread.now() != held_thread::state::runs) {
            thread.release();
            at = threads_.erase(at);
        } else {
            ++at;
        }
    }
    return threads_.empty();
}

} // namespace linn::tool::attach
