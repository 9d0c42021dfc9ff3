// SPDX-License-Identifier: Apache-2.0
#include "thread.hpp"

#include "../../measure/process.hpp"
#include "../../program/executable.hpp"

#if defined(__x86_64__)

#include <elf.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <ucontext.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <set>
#include <thread>
#include <vector>

namespace linn::tool::attach {
namespace {

namespace fs = std::filesystem;
using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds most_for_stopping{50};
/// How long a thread is looked for that is fit.
constexpr std::chrono::seconds most_for_borrowing{10};
/// What a call in the program may take: it waits for other threads only.
constexpr milliseconds most_for_call{20'000};
/// For a thread that the kernel does not let go of: it must be let go.
constexpr milliseconds until_it_stands = std::chrono::hours{1};

/// ERESTARTNOHAND of the kernel: the call begins again, or returns EINTR if a handler runs.
constexpr int restart_unless_handled = 514;

// The parts of a signal's frame that <ucontext.h> does not name.
constexpr std::uint64_t has_extended_state = 1;
constexpr std::uint64_t has_stack_segment = 2 | 4;
constexpr int keep_alternate_stack = 0x100; // no such flag: the kernel changes nothing
constexpr std::uint32_t state_end = FP_XSTATE_MAGIC2;
constexpr std::size_t software_bytes_at = 464; // of the legacy area: what the kernel says of the rest
constexpr std::size_t header_at = 512;
constexpr std::uint64_t amx = std::uint64_t{3} << 17;
constexpr std::size_t most_bytes_without_amx = 2696; // it comes last

/// The mapping that holds an address; null where there is none.
const mapping* mapping_at(const std::vector<mapping>& all, std::uint64_t address) {
    const auto behind = std::upper_bound(all.begin(), all.end(), address,
                                         [](std::uint64_t a, const mapping& m) { return a < m.end; });
    return behind != all.end() && address >= behind->begin ? &*behind : nullptr;
}

/// The extended state as it stands in a signal's frame, without that of AMX; empty where the thread uses that.
std::vector<unsigned char> state_for_frame(std::vector<unsigned char> state) {
    std::uint64_t used = 0;
    std::uint64_t features = 0;
    std::memcpy(&used, state.data() + header_at, sizeof used);
    std::memcpy(&features, state.data() + software_bytes_at, sizeof features);
    if ((used & amx) != 0) {
        return {};
    }
    const auto bytes = static_cast<std::uint32_t>(std::min(state.size(), most_bytes_without_amx));
    state.resize(bytes + sizeof state_end);
    const _fpx_sw_bytes words{
        FP_XSTATE_MAGIC1, static_cast<std::uint32_t>(state.size()), features & ~amx, bytes, {}};
    std::memcpy(state.data() + software_bytes_at, &words, sizeof words);
    std::memcpy(state.data() + bytes, &state_end, sizeof state_end);
    return state;
}

/// What a thread was doing, for the kernel to restore; with its extended state at an address. An interrupted system call begins again.
ucontext_t context_of(user_regs_struct r, std::uint64_t mask, std::uint64_t state_at) {
    const auto result = -static_cast<std::int64_t>(r.rax);
    if (static_cast<std::int64_t>(r.orig_rax) >= 0 &&
        ((result >= 512 && result <= restart_unless_handled) || result == 516)) {
        r.rax = r.orig_rax;
        r.rip -= 2;
    }
    ucontext_t context{};
    context.uc_flags = has_extended_state | has_stack_segment;
    context.uc_stack.ss_flags = keep_alternate_stack;
    const unsigned long long values[][6] = {
        {r.r8, r.r9, r.r10, r.r11, r.r12, r.r13},
        {r.r14, r.r15, r.rdi, r.rsi, r.rbp, r.rbx},
        {r.rdx, r.rax, r.rcx, r.rsp, r.rip, r.eflags},
        {(r.cs & 0xffff) | (r.ss & 0xffff) << 48},
    };
    static_assert(REG_R8 == 0 && REG_RDI == 8 && REG_RSP == 15 && REG_CSGSFS == 18);
    std::memcpy(context.uc_mcontext.gregs, values, (REG_CSGSFS + 1) * sizeof values[0][0]);
    context.uc_mcontext.fpregs = reinterpret_cast<fpregset_t>(state_at);
    std::memcpy(&context.uc_sigmask, &mask, sizeof mask);
    return context;
}

bool is_libc(const mapping& m) {
    return m.file_name().starts_with("libc.so");
}

/// Where the C library returns from signal handlers; 0 where that cannot be found.
std::uint64_t find_restorer(pid_t pid, const std::vector<mapping>& mappings) {
    constexpr std::string_view code{"\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05", 9}; // mov $15, %rax; syscall
    for (const mapping& m : mappings) {
        if (m.is_code && is_libc(m)) {
            std::string bytes(std::min(m.end - m.begin, std::uint64_t{64} << 20), '\0');
            read_memory(pid, m.begin, bytes.data(), bytes.size());
            if (const std::size_t at = bytes.find(code); at != std::string::npos) {
                return m.begin + at;
            }
        }
    }
    return 0;
}

/// Whether code of a file may run while it holds a lock of the allocator or the loader.
bool may_hold_locks(const mapping& m) {
    const std::string file = m.file_name();
    std::error_code error;
    return file.starts_with("ld-linux") || file == "[vdso]" || find_in_file(m.path, "malloc") != 0 ||
           (m.path.starts_with('/') && !fs::exists(m.path, error)); // what it has is not known
}

/// Whether a thread may be made to open a library here. That takes the allocator's lock and the loader's, so the thread must hold
/// neither: it executes code that belongs to neither the C library nor the allocator, or sleeps in a system call of the C library.
/// While the C library or the loader has such a lock, it only sleeps for another lock, which is FUTEX_WAIT; waiting for threads that end,
/// condition variables and semaphores is FUTEX_WAIT_BITSET. `locking`: the files that may hold such locks.
bool is_calm(const mapping& code, const std::set<std::string>& locking, const user_regs_struct& r) {
    const auto call = static_cast<std::int64_t>(r.orig_rax);
    const auto result = -static_cast<std::int64_t>(r.rax);
    const bool sleeps =
        call >= 0 && (result == EINTR || (result >= 512 && result <= 516)); // ERESTARTSYS and the like
    return !locking.contains(code.path) ||
           (is_libc(code) && sleeps &&
            (call != SYS_futex || (static_cast<int>(r.rsi) & FUTEX_CMD_MASK) != FUTEX_WAIT));
}

/// A thread of another process that stands still, and calls functions of its process on its own stack. It goes on as if nothing had been
/// when this goes away, and also when this process is killed: a called function returns into a frame as of a signal handler, from which the
/// kernel restores the thread. No signal is lost, and no byte of the program's code changes.
class borrowed_thread {
public:
    /// @pre it is traced
    borrowed_thread(pid_t pid, pid_t tid) : pid_(pid), tid_(tid) {
        if (halt(most_for_stopping)) {
            registers_ = current_registers();
        }
    }
    borrowed_thread(const borrowed_thread&) = delete;
    borrowed_thread& operator=(const borrowed_thread&) = delete;
    ~borrowed_thread() {
        if (has_returned_) {
            restore();
        }
        if (stands_ || halt(until_it_stands)) {
            trace(PTRACE_DETACH);
        }
    }

    /// Whether it stands still, and calm, unless there are no `locking` files, and its stack has room for what is called there.
    bool is_fit(const std::vector<mapping>& mappings, const std::set<std::string>& locking) const {
        constexpr std::uint64_t stack_bytes = std::uint64_t{96} << 10;
        const mapping* const stack = mapping_at(mappings, registers_.rsp);
        const mapping* const code = mapping_at(mappings, registers_.rip);
        return stands_ && stack != nullptr &&
               (locking.empty() || (code != nullptr && is_calm(*code, locking, registers_))) &&
               (stack->path == "[stack]" || // which grows by itself
                registers_.rsp - stack->begin >= stack_bytes);
    }

    /// Makes the thread ready for calls. Returns where these find `text`; 0 if it could not be restored with certainty. @pre is_fit()
    std::uint64_t prepare(const std::vector<mapping>& mappings, const std::string& text) {
        constexpr std::uint64_t red_zone = 128; // bytes below the stack pointer that a function may use
        constexpr std::size_t most_state_bytes = std::size_t{64} << 10; // of a processor with AMX: 11 KiB
        const std::uint64_t restorer = find_restorer(pid_, mappings);
        extended_.resize(most_state_bytes);
        iovec extended{extended_.data(), extended_.size()};
        if (restorer == 0 || !trace(PTRACE_GETSIGMASK, sizeof mask_, &mask_) ||
            !trace(PTRACE_GETREGSET, NT_X86_XSTATE, &extended) || extended.iov_len < header_at + 64) {
            return 0;
        }
        extended_.resize(extended.iov_len);
        const std::vector<unsigned char> kept = state_for_frame(extended_);
        const std::uint64_t state_at = (registers_.rsp - red_zone - kept.size()) & ~std::uint64_t{63};
        const std::uint64_t text_at = state_at - text.size() - 1;
        // A function begins with a stack pointer that is 8 more than a multiple of 16, and finds the return address there.
        frame_ = ((text_at - 1024) & ~std::uint64_t{15}) + 8;
        // What <ucontext.h> calls ucontext_t, with the kernel's short mask.
        constexpr std::size_t context_bytes = offsetof(ucontext_t, uc_sigmask) + sizeof mask_;
        const ucontext_t context = context_of(registers_, mask_, state_at);
        const bool is_written = !kept.empty() && write_memory(pid_, frame_, &restorer, sizeof restorer) &&
                                write_memory(pid_, frame_ + sizeof restorer, &context, context_bytes) &&
                                write_memory(pid_, text_at, text.c_str(), text.size() + 1) &&
                                write_memory(pid_, state_at, kept.data(), kept.size());
        return is_written ? text_at : 0;
    }

    /// Calls a function and waits until it has returned. False if the thread has ended, or the function has not returned in time: then it
    /// goes on, and the thread is restored by itself. @pre prepare()
    bool call(std::uint64_t function, std::uint64_t first, std::uint64_t second) {
        user_regs_struct r = registers_;
        r.rip = function;
        r.rsp = frame_;
        r.rdi = first;
        r.rsi = second;
        r.orig_rax = no_call;
        r.eflags &= ~std::uint64_t{0x500}; // upwards, and no single step
        // The registers first: once they are set, the thread restores itself even if this process dies.
        constexpr std::uint64_t all_signals = ~std::uint64_t{0};
        if (!trace(PTRACE_SETREGS, 0, &r) || !trace(PTRACE_SETSIGMASK, sizeof all_signals, &all_signals)) {
            return false;
        }
        has_returned_ = false;
        for (const auto end = clock::now() + most_for_call; !has_returned_;) {
            trace(PTRACE_SYSCALL);
            if (!wait(end)) {
                return false;
            }
            r = current_registers();
            has_returned_ = r.orig_rax == SYS_rt_sigreturn && r.rsp == frame_ + 8 &&
                            static_cast<std::int64_t>(r.rax) == -ENOSYS; // it begins
        }
        return true;
    }

private:
    static constexpr unsigned long long no_call = ~0ull; ///< for orig_rax: no system call is to begin again

    bool trace(int request, std::uint64_t where = 0, const void* data = nullptr) const noexcept {
        return ::ptrace(static_cast<__ptrace_request>(request), tid_, reinterpret_cast<void*>(where), data) ==
               0;
    }

    user_regs_struct current_registers() const noexcept {
        user_regs_struct into{};
        trace(PTRACE_GETREGS, 0, &into);
        return into;
    }

    /// Stops it before its next instruction. One that stands in a system call leaves that first.
    bool halt(milliseconds most) noexcept {
        if (is_gone_) {
            return false;
        }
        trace(PTRACE_INTERRUPT);
        if (stands_) {
            trace(PTRACE_CONT);
        }
        if (!wait(clock::now() + most)) {
            return false;
        }
        // The kernel ends some calls even if no handler runs. With another result it begins them again; these two must not.
        user_regs_struct r = current_registers();
        if (static_cast<std::int64_t>(r.rax) == -EINTR && r.orig_rax != no_call && r.orig_rax != SYS_close &&
            r.orig_rax != SYS_connect) {
            r.rax = static_cast<unsigned long long>(-restart_unless_handled);
            trace(PTRACE_SETREGS, 0, &r);
        }
        return true;
    }

    /// False if it has ended, or has not stopped until then.
    bool wait(clock::time_point end) noexcept {
        stands_ = false;
        for (std::chrono::microseconds nap{20};;) {
            int status = 0;
            const pid_t got = ::waitpid(tid_, &status, __WALL | WNOHANG);
            is_gone_ = got < 0 || (got == tid_ && !WIFSTOPPED(status));
            stands_ = got == tid_ && !is_gone_ &&
                      (status >> 16 == PTRACE_EVENT_STOP || WSTOPSIG(status) == (SIGTRAP | 0x80));
            if (stands_ || is_gone_ || (got == 0 && clock::now() >= end)) {
                return stands_;
            }
            if (got == tid_) { // a signal: the program gets it
                trace(PTRACE_CONT, 0, reinterpret_cast<void*>(static_cast<std::uintptr_t>(WSTOPSIG(status))));
            } else {
                std::this_thread::sleep_for(nap);
                nap = std::min(nap * 2, std::chrono::microseconds{1000});
            }
        }
    }

    /// It stands where it asks the kernel to restore it. It is made to ask once more, and stopped before it does: from there the kernel can also
    /// resume an interrupted system call with what is left of its time. Whenever we are killed, it asks.
    void restore() noexcept {
        user_regs_struct again = current_registers();
        again.orig_rax = no_call;
        again.rax = SYS_rt_sigreturn;
        again.rip -= 2;
        const iovec extended{extended_.data(), extended_.size()};
        if (trace(PTRACE_SETREGS, 0, &again) && halt(until_it_stands) &&
            trace(PTRACE_SETREGSET, NT_X86_XSTATE, &extended) &&
            trace(PTRACE_SETSIGMASK, sizeof mask_, &mask_)) {
            trace(PTRACE_SETREGS, 0, &registers_);
        }
    }

    pid_t pid_;
    pid_t tid_;
    bool stands_ = false;  ///< still
    bool is_gone_ = false; ///< it has ended
    user_regs_struct registers_{};
    std::vector<unsigned char> extended_;
    std::uint64_t mask_ = 0;
    std::uint64_t frame_ = 0;
    bool has_returned_ = false; ///< it stands at the end of a call
};

} // namespace

bool read_memory(pid_t pid, std::uint64_t from, void* to, std::size_t bytes) noexcept {
    const iovec local{to, bytes};
    const iovec remote{reinterpret_cast<void*>(from), bytes};
    return ::process_vm_readv(pid, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
}

bool write_memory(pid_t pid, std::uint64_t to, const void* from, std::size_t bytes) noexcept {
    const iovec local{const_cast<void*>(from), bytes};
    const iovec remote{reinterpret_cast<void*>(to), bytes};
    return ::process_vm_writev(pid, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
}

int borrow(pid_t pid, const std::string& text,
           const std::function<bool(const remote_call& call, std::uint64_t text)>& use) {
    const std::vector<mapping> mappings = read_mappings(pid);
    std::set<std::string> locking;
    for (const mapping& m : mappings) {
        if (!text.empty() && m.is_code && may_hold_locks(m)) {
            locking.insert(m.path);
        }
    }
    for (const auto end = clock::now() + most_for_borrowing; clock::now() < end;) {
        std::error_code error;
        for (fs::directory_iterator at{fmt::format("/proc/{}/task", pid), error}, none; !error && at != none;
             at.increment(error)) {
            const pid_t tid = std::stoi(at->path().filename());
            if (const auto stat = stat_of(pid, tid); stat.empty() || stat.front() == "D") {
                continue; // it has ended, or the kernel does not let go of it just now
            }
            if (::ptrace(PTRACE_SEIZE, tid, nullptr, PTRACE_O_TRACESYSGOOD) != 0) {
                if (errno == EPERM && tid == pid) {
                    return EPERM;
                }
                continue;
            }
            borrowed_thread thread{pid, tid};
            const std::uint64_t text_at =
                thread.is_fit(mappings, locking) ? thread.prepare(mappings, text) : 0;
            if (text_at != 0 && use(std::bind_front(&borrowed_thread::call, &thread), text_at)) {
                return 0;
            }
        }
        if (!has_program(pid)) {
            return ESRCH;
        }
        std::this_thread::sleep_for(std::chrono::microseconds{300});
    }
    return ETIMEDOUT;
}

} // namespace linn::tool::attach

#endif
