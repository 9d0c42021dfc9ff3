// SPDX-License-Identifier: Apache-2.0
#include "attachment.hpp"

#if defined(__x86_64__)

#include <dlfcn.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <thread>
#include <utility>

namespace linn::tool::attach {
namespace {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// How long a thread is looked for that may open a library.
constexpr std::chrono::seconds most_for_entering{10};
/// Times that a thread is looked for which is not inside of the recorder.
constexpr unsigned most_tries = 2'000;

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
    case answer::no_ring:
    case answer::not_allowed:
        break;
    }
    return fmt::format("process {} did not answer in time: try again", pid);
}

/// Where the recorder answers that is mapped there; 0 where the mapping does not begin one.
std::uint64_t door_in(const process_memory& memory, const mapping& m) {
    const std::uint64_t at = m.offset == 0 && m.file_name().starts_with("liblinn-")
                                 ? find_symbol(memory, m.begin, door_symbol)
                                 : 0;
    return at != 0 && memory.get<std::uint64_t>(at) == door_magic ? at : 0;
}

/// Whether its stack has room for what is called there. The main thread's grows by itself.
bool has_room(const std::vector<mapping>& mappings, const user_regs_struct& r) {
    const mapping* const stack = mapping_at(mappings, r.rsp);
    return stack != nullptr && (stack->path == "[stack]" || r.rsp - stack->begin >= injection::stack_bytes);
}

/// Whether a file other than the C library has the allocator.
bool is_allocator(const process_memory& memory, const std::vector<mapping>& mappings, const mapping& code) {
    const auto is_first = [&](const mapping& m) { return m.offset == 0 && m.path == code.path; };
    const auto first = std::find_if(mappings.begin(), mappings.end(), is_first);
    return first != mappings.end() && find_symbol(memory, first->begin, "malloc") != 0;
}

/// Whether a thread may be made to open a library here. That takes the allocator's lock and the loader's, so the thread must hold
/// neither: it executes code that belongs to neither the C library nor the allocator, or sleeps in a system call of the C library.
/// While the C library or the loader has such a lock, it only sleeps for another lock, which is FUTEX_WAIT; waiting for threads that end,
/// condition variables and semaphores is FUTEX_WAIT_BITSET.
bool is_calm(const process_memory& memory, const std::vector<mapping>& mappings, const user_regs_struct& r) {
    const mapping* const code = mapping_at(mappings, r.rip);
    if (code == nullptr || !has_room(mappings, r)) {
        return false;
    }
    const std::string file = code->file_name();
    if (!file.starts_with("libc.so")) {
        return !file.starts_with("ld-linux") && file != "[vdso]" && !is_allocator(memory, mappings, *code);
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
    const auto stack = memory.get<std::array<std::uint64_t, most_words>>(r.rsp);
    const bool may_be_allocator = call == SYS_futex || call == SYS_nanosleep || call == SYS_clock_nanosleep;
    return !may_be_allocator || (stack && std::none_of(stack->begin(), stack->end(), [&](std::uint64_t word) {
                                     const mapping* const m = mapping_at(mappings, word);
                                     return m != nullptr && m->is_code &&
                                            !m->file_name().starts_with("libc.so") &&
                                            is_allocator(memory, mappings, *m);
                                 }));
}

void set(const process_memory& memory, std::uint64_t door_at, std::size_t member, std::uint32_t value) {
    memory.write(door_at + member, &value, sizeof value);
}

} // namespace

std::uint64_t attachment::find_door(pid_t process) const {
    const process_memory memory{process};
    for (const mapping& m : read_mappings(process)) {
        if (const std::uint64_t at = m.path == library_.string() ? door_in(memory, m) : 0; at != 0) {
            const auto found = memory.get<door>(at);
            return found && found->size == sizeof(door) ? at : 0;
        }
    }
    return 0;
}

std::string attachment::why_recorded_already() const {
    const process_memory memory{pid_};
    for (const mapping& m : read_mappings(pid_)) {
        if (m.path == library_.string()) {
            continue;
        }
        const std::uint64_t at = door_in(memory, m);
        if (at != 0 && memory.get<door>(at).value_or(door{}).at != phase::idle) {
            return in_words(answer::in_use, pid_);
        }
        if (m.file_name() == library_.filename().string()) {
            return fmt::format("process {} has the recorder of another version of linn, from an earlier "
                               "recording: restart it, "
                               "or record it with that version",
                               pid_);
        }
    }
    return {};
}

std::string attachment::enter(std::uint32_t chunks, const ring_maker& make_ring) {
    if (std::string problem = why_recorded_already(); !problem.empty()) {
        return problem;
    }
    const process_memory memory{pid_};
    const std::vector<mapping> mappings = read_mappings(pid_);
    for (const auto end = clock::now() + most_for_entering; clock::now() < end;) {
        const std::vector<pid_t> threads = threads_of(pid_);
        if (threads.empty()) {
            return why_not_traceable(pid_, ESRCH);
        }
        for (const pid_t tid : threads) {
            held_thread thread{tid};
            if (const int error = thread.seize(); error == EPERM && tid == pid_) {
                return why_not_traceable(pid_, error);
            }
            if (thread.wait(milliseconds{50}) == held_thread::state::held &&
                is_calm(memory, mappings, thread.registers())) {
                return call_enter(thread, chunks, make_ring);
            }
        }
        std::this_thread::sleep_for(std::chrono::microseconds{300});
    }
    return fmt::format("no thread of process {} came to a point where it may open a library, within {} s: "
                       "try again, or record it from its start with linn record -- PROG ARGS...",
                       pid_, most_for_entering.count());
}

std::string attachment::open_library(injection& calls) {
    const process_memory memory{pid_};
    std::uint64_t dlopen_at = 0;
    std::uint64_t dlerror_at = 0;
    for (const mapping& m : read_mappings(pid_)) {
        if (m.offset == 0 && m.file_name().starts_with("libc.so")) {
            dlopen_at = find_symbol(memory, m.begin, "dlopen");
            dlerror_at = find_symbol(memory, m.begin, "dlerror");
        }
    }
    if (dlopen_at == 0 || dlerror_at == 0) {
        return fmt::format(
            "process {} has a C library without dlopen: linn attaches to programs with glibc 2.34 or later",
            pid_);
    }
    const std::string path = library_.string();
    if (path.size() >= injection::scratch_bytes ||
        !memory.write(calls.scratch(), path.c_str(), path.size() + 1)) {
        return fmt::format("the name of {} is too long", path);
    }
    if (!calls.call(dlopen_at, calls.scratch(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
        return in_words(answer::none, pid_);
    }
    door_ = find_door(pid_);
    if (door_ == 0) {
        calls.call(dlerror_at); // clear the error of this dlopen, which the program did not call
        return fmt::format(
            "process {} could not open {}: may it read the file, and is there room in its static TLS?", pid_,
            path);
    }
    return {};
}

std::string attachment::call_enter(held_thread& thread, std::uint32_t chunks, const ring_maker& make_ring) {
    const process_memory memory{pid_};
    held_process& others = unsettled_.emplace_back(pid_);
    injection calls{thread, memory};
    if (!calls.begin(read_mappings(pid_))) {
        return fmt::format("the state of process {} could not be kept: try again", pid_);
    }
    door_ = find_door(pid_);
    std::string problem = door_ == 0 ? open_library(calls) : std::string{};
    if (!problem.empty()) {
        return problem;
    }
    set(memory, door_, offsetof(door, go), 0);
    set(memory, door_, offsetof(door, chunks), chunks);
    set(memory, door_, offsetof(door, collector), static_cast<std::uint32_t>(::getpid()));
    set(memory, door_, offsetof(door, said), static_cast<std::uint32_t>(answer::none));
    bool is_ring_made = false;
    bool has_gone = false;
    const auto meanwhile = [&] {
        const auto now = look();
        if (now && now->at == phase::wants_ring && now->ring_fd >= 0 && !std::exchange(is_ring_made, true)) {
            problem = make_ring(now->ring_fd, now->chunks);
        }
        if (now && now->at == phase::wants_go && !std::exchange(has_gone, true)) {
            sees_new_files_ = now->sees_new_files != 0;
            if (others.hold()) {
                set(memory, door_, offsetof(door, go), 1);
            } else {
                problem = fmt::format(
                    "the threads of process {} could not be stopped for a moment: try again", pid_);
            }
        }
    };
    const auto before = look();
    const bool has_returned = before && calls.call(before->enter, 0, 0, meanwhile);
    calls.end();
    settle();
    const auto said = look();
    if (!has_returned || !said) {
        return in_words(answer::none, pid_);
    }
    return problem.empty() ? in_words(said->said, pid_) : problem;
}

answer attachment::try_to_leave(pid_t process, std::uint64_t door_at) {
    const process_memory memory{process};
    const std::vector<mapping> mappings = read_mappings(process);
    held_process& all = unsettled_.emplace_back(process);
    if (!all.hold()) {
        return answer::none;
    }
    bool is_any_inside = false;
    held_thread* chosen = nullptr;
    for (auto& [tid, thread] : all.threads()) {
        if (thread.now() == held_thread::state::held) {
            const user_regs_struct r = thread.registers();
            const mapping* const code = mapping_at(mappings, r.rip);
            const bool is_inside = code != nullptr && code->file_name() == library_.filename().string();
            is_any_inside = is_any_inside || is_inside;
            chosen = chosen == nullptr && !is_inside && has_room(mappings, r) ? &thread : chosen;
        }
    }
    if (chosen == nullptr) {
        return answer::busy;
    }
    // Whether it may touch what belongs to the other threads.
    set(memory, door_at, offsetof(door, go), is_any_inside ? 0 : 1);
    // Threads that are inside of the recorder have to go on before it can end; the hooks are out by then.
    const auto meanwhile = [&] {
        if (const auto now = memory.get<door>(door_at); now && now->at == phase::out) {
            all.let_go(chosen);
        }
    };
    injection calls{*chosen, memory};
    const auto before = memory.get<door>(door_at);
    if (!before || !calls.begin(mappings) || !calls.call(before->leave, 0, 0, meanwhile)) {
        return answer::none;
    }
    const auto after = memory.get<door>(door_at);
    return after ? after->said : answer::none;
}

std::string attachment::leave(pid_t process) {
    const std::uint64_t door_at = find_door(process);
    const bool is_other_program = door_at == 0 || (process == pid_ && door_at != door_);
    answer said = is_other_program ? answer::done : answer::busy;
    for (unsigned i = 0; i != most_tries && said == answer::busy; ++i) {
        std::this_thread::sleep_for(milliseconds{i == 0 ? 0 : 1});
        said = try_to_leave(process, door_at);
        settle();
    }
    if (said == answer::done || (said == answer::none && threads_of(process).empty())) {
        return {};
    }
    return said == answer::still_used
               ? fmt::format("a thread of process {} is stuck in the recorder: the memory that it shares "
                             "stays there",
                             process)
               : fmt::format("the recorder could not be taken out of process {}; it takes itself out soon",
                             process);
}

std::optional<door> attachment::look() const {
    const auto now = door_ == 0 ? std::nullopt : process_memory{pid_}.get<door>(door_);
    return now && now->magic == door_magic ? now : std::nullopt;
}

void attachment::look_again() const {
    const process_memory memory{pid_};
    const auto now = look();
    constexpr std::uint64_t most_slots = 1 << 18;
    if (!now || now->at != phase::in || now->slot_count > most_slots) {
        return;
    }
    std::vector<slot> slots(now->slot_count);
    if (!memory.read(now->slots, slots.data(), slots.size() * sizeof(slot))) {
        return;
    }
    for (const slot& s : slots) {
        // Those in read-only pages are filled before the program begins.
        if (s.is_gone == 0 && s.is_read_only == 0 && memory.get<std::uint64_t>(s.address) == s.real) {
            memory.write(s.address, &s.hook, sizeof s.hook);
        }
    }
}

} // namespace linn::tool::attach

#endif
