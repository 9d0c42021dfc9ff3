// SPDX-License-Identifier: Apache-2.0
#include "attachment.hpp"

#include "../../program/executable.hpp"
#include "../../trace/info.hpp"

#if defined(__x86_64__)

#include <dlfcn.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <set>
#include <thread>
#include <utility>

namespace linn::tool::attach {
namespace {

using clock = std::chrono::steady_clock;

/// How long a thread is looked for that can be used.
constexpr std::chrono::seconds most_for_borrowing{10};

std::string in_words(answer said, pid_t pid) {
    switch (said) {
    case answer::done:
        return {};
    case answer::in_use:
        return fmt::format("process {} is recorded already, by another linn", pid);
    case answer::no_memory:
        return fmt::format(
            "process {} has no room for the memory to share: its limit of address space (ulimit -v) is "
            "too low",
            pid);
    case answer::busy:
    case answer::still_used:
        return fmt::format("process {} is still busy with an earlier recording: try again", pid);
    case answer::none:
        break;
    }
    return fmt::format("process {} did not answer in time: try again", pid);
}

/// Borrows one thread after the other, until `use` returns true. 0, or why it did not: ESRCH, EPERM, ETIMEDOUT.
int borrow(pid_t pid, const std::function<bool(borrowed_thread&)>& use) {
    for (const auto end = clock::now() + most_for_borrowing; clock::now() < end;) {
        const std::vector<pid_t> threads = threads_of(pid);
        if (threads.empty()) {
            return ESRCH;
        }
        for (const pid_t tid : threads) {
            if (stat_field(fmt::format("/proc/{}/task/{}", pid, tid), 3) == "D") {
                continue; // the kernel does not let go of it
            }
            borrowed_thread thread{pid, tid};
            if (thread.error() == EPERM && tid == pid) {
                return EPERM;
            }
            if (thread.stands_still() && use(thread)) {
                return 0;
            }
        }
        std::this_thread::sleep_for(std::chrono::microseconds{300});
    }
    return ETIMEDOUT;
}

/// Whether its stack has room for what is called there. The main thread's grows by itself.
bool has_room(const std::vector<mapping>& mappings, const user_regs_struct& r) {
    const mapping* const stack = mapping_at(mappings, r.rsp);
    return stack != nullptr &&
           (stack->path == "[stack]" || r.rsp - stack->begin >= borrowed_thread::stack_bytes);
}

/// Files other than the C library that have an allocator, or cannot be read any more.
std::set<std::string> allocators_in(const std::vector<mapping>& mappings) {
    std::set<std::string> seen;
    std::set<std::string> found;
    for (const mapping& m : mappings) {
        std::error_code error;
        if (m.is_code && !m.is_libc() && seen.insert(m.path).second && m.path.starts_with('/') &&
            (find_in_file(m.path, "malloc") != 0 || !std::filesystem::exists(m.path, error))) {
            found.insert(m.path);
        }
    }
    return found;
}

/// Whether a thread may be made to open a library here. That takes the allocator's lock and the loader's, so the thread must hold
/// neither: it executes code that belongs to neither the C library nor the allocator, or sleeps in a system call of the C library.
/// While the C library or the loader has such a lock, it only sleeps for another lock, which is FUTEX_WAIT; waiting for threads that end,
/// condition variables and semaphores is FUTEX_WAIT_BITSET.
bool is_calm(pid_t pid, const std::vector<mapping>& mappings, const std::set<std::string>& allocators,
             const user_regs_struct& r) {
    const mapping* const code = mapping_at(mappings, r.rip);
    if (code == nullptr || !has_room(mappings, r)) {
        return false;
    }
    if (!code->is_libc()) {
        const std::string file = code->file_name();
        return !file.starts_with("ld-linux") && file != "[vdso]" && !allocators.contains(code->path);
    }
    const auto call = static_cast<std::int64_t>(r.orig_rax);
    const auto result = -static_cast<std::int64_t>(r.rax);
    const bool slept = result == EINTR || (result >= 512 && result <= 516); // ERESTARTSYS and the like
    if (call < 0 || !slept ||
        (call == SYS_futex && (static_cast<int>(r.rsi) & FUTEX_CMD_MASK) == FUTEX_WAIT)) {
        return false;
    }
    // Another allocator may wait or sleep with its lock: its return address is on the stack.
    constexpr std::size_t most_words = 64;
    const auto stack = process_memory{pid}.get<std::array<std::uint64_t, most_words>>(r.rsp);
    const bool may_be_allocator = call == SYS_futex || call == SYS_nanosleep || call == SYS_clock_nanosleep;
    return !may_be_allocator || (stack && std::none_of(stack->begin(), stack->end(), [&](std::uint64_t word) {
                                     const mapping* const m = mapping_at(mappings, word);
                                     return m != nullptr && m->is_code && allocators.contains(m->path);
                                 }));
}

/// The address of a function of the C library; 0 if there is none.
std::uint64_t find_in_libc(const std::vector<mapping>& mappings, std::string_view name) {
    for (const mapping& m : mappings) {
        if (m.offset == 0 && m.is_libc()) {
            const std::uint64_t found = find_in_file(m.path, name);
            return found == 0 ? 0 : m.begin + found;
        }
    }
    return 0;
}

} // namespace

/// Sets `door_` if the library is there. Returns why this process cannot be recorded, because of it or of another.
std::string attachment::find_door() {
    for (const mapping& m : read_mappings(pid_)) {
        if (m.offset != 0 || !is_recorder(m.file_name())) {
            continue;
        }
        const std::uint64_t found = find_in_file(m.path, door_symbol);
        const auto other = found == 0 ? std::nullopt : process_memory{pid_}.get<door>(m.begin + found);
        if (!other || other->magic != door_magic || other->size != sizeof(door)) {
            return fmt::format("process {} has the recorder of another version of linn, from an earlier "
                               "recording: restart it, or record it with that version",
                               pid_);
        }
        if (m.path == library_.string()) {
            door_ = m.begin + found;
        } else if (other->is_in != 0) {
            return in_words(answer::in_use, pid_);
        }
    }
    return {};
}

std::string attachment::enter(std::uint32_t chunks, const ring_maker& make_ring) {
    if (std::string problem = find_door(); !problem.empty()) {
        return problem;
    }
    const std::vector<mapping> mappings = read_mappings(pid_);
    const std::set<std::string> allocators = allocators_in(mappings);
    std::string problem;
    const int error = borrow(pid_, [&](borrowed_thread& thread) {
        if (!is_calm(pid_, mappings, allocators, thread.registers()) ||
            !thread.prepare(mappings, library_.string())) {
            return false;
        }
        problem = call_enter(thread, chunks, make_ring);
        return true;
    });
    if (error == ETIMEDOUT) {
        return fmt::format(
            "no thread of process {} came to a point where it may open a library, within {} s: "
            "try again, or record it from its start with linn record -- PROG ARGS...",
            pid_, most_for_borrowing.count());
    }
    return error != 0 ? why_not_traceable(pid_, error) : problem;
}

std::string attachment::call_enter(borrowed_thread& thread, std::uint32_t chunks,
                                   const ring_maker& make_ring) {
    if (door_ == 0) {
        const std::vector<mapping> mappings = read_mappings(pid_);
        const std::uint64_t dlopen_at = find_in_libc(mappings, "dlopen");
        const std::uint64_t dlerror_at = find_in_libc(mappings, "dlerror");
        if (dlopen_at == 0 || dlerror_at == 0) {
            return fmt::format("the C library of process {} has no dlopen, or its file was replaced: linn "
                               "attaches to programs with glibc 2.34 or later. Restart it if it was updated",
                               pid_);
        }
        if (!thread.call(dlopen_at, thread.text(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
            return in_words(answer::none, pid_);
        }
        if (std::string problem = find_door(); !problem.empty()) {
            return problem;
        }
        if (door_ == 0) {
            thread.call(dlerror_at); // clear the error of this dlopen, which the program did not call
            return fmt::format(
                "process {} could not open {}: may it read the file, and is there room in its static TLS?",
                pid_, library_.string());
        }
    }
    const auto before = look();
    const bool is_open = before && thread.call(before->open_ring);
    const auto opened = look();
    if (!is_open || !opened) {
        return in_words(answer::none, pid_);
    }
    if (std::string problem = make_ring(opened->ring_fd); !problem.empty()) {
        thread.call(opened->leave); // closes the file
        return problem;
    }
    thread.call(opened->enter, chunks);
    return in_words(look().value_or(door{}).said, pid_);
}

std::string attachment::leave(pid_t process) const {
    const std::vector<mapping> mappings = read_mappings(process);
    answer said = answer::done;
    const int error = borrow(process, [&](borrowed_thread& thread) {
        const auto before = look(process);
        if (!before) {
            return true; // another program
        }
        if (!has_room(mappings, thread.registers()) || !thread.prepare(mappings, {})) {
            return false;
        }
        said = thread.call(before->leave) ? look(process).value_or(door{}).said : answer::none;
        return said != answer::busy;
    });
    if (error == ESRCH || (error == 0 && said == answer::done) || threads_of(process).empty()) {
        return {};
    }
    return said == answer::still_used
               ? fmt::format("a thread of process {} is stuck in the recorder: the memory that it shares "
                             "stays there",
                             process)
               : fmt::format("the recorder could not be taken out of process {}; it takes itself out soon",
                             process);
}

std::optional<door> attachment::look(pid_t process) const {
    const auto now = door_ == 0 ? std::nullopt : process_memory{process}.get<door>(door_);
    return now && now->magic == door_magic ? now : std::nullopt;
}

} // namespace linn::tool::attach

#endif
