// SPDX-License-Identifier: Apache-2.0
#include "attachment.hpp"

#include "calm_point.hpp"
#include "injection.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <thread>

namespace linn::tool::attach {
namespace {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// What a call in the program may take: it waits for other threads only.
constexpr milliseconds most_for_call{20'000};
/// Between two looks at threads none of which was at a point where it may open a library.
constexpr std::chrono::microseconds between_looks{300};
constexpr milliseconds most_for_holding{2'000};
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

/// The first bytes of the mapped file that is this one; 0 where it is not mapped.
std::uint64_t find_file(const std::vector<mapping>& mappings, const std::filesystem::path& file) {
    struct stat s{};
    if (::stat(file.c_str(), &s) != 0) {
        return 0;
    }
    const std::string id = fmt::format("{:02x}:{:02x} {}", major(s.st_dev), minor(s.st_dev), s.st_ino);
    for (const mapping& m : mappings) {
        // Some file systems tell another device to maps than to stat.
        const bool is_it =
            m.file_id == id || (m.path == file.string() && m.file_id.ends_with(fmt::format(" {}", s.st_ino)));
        if (m.offset == 0 && is_it) {
            return m.begin;
        }
    }
    return 0;
}

bool has_other_recorder(const std::vector<mapping>& mappings, const std::filesystem::path& library) {
    for (const mapping& m : mappings) {
        if (file_name(m) == library.filename().string()) {
            return true;
        }
    }
    return false;
}

} // namespace

std::uint64_t attachment::find_door(pid_t process) const {
    const std::uint64_t begin = find_file(read_mappings(process), library_);
    const process_memory memory{process};
    const std::uint64_t at = begin == 0 ? 0 : mapped_symbols{memory, begin}.find(door_symbol);
    const auto found = at == 0 ? std::nullopt : memory.get<door>(at);
    return found && found->magic == door_magic && found->size == sizeof(door) ? at : 0;
}

std::unique_ptr<held_thread> attachment::hold_calm_thread(milliseconds most, std::string& problem) const {
    const process_memory memory{pid_};
    const std::vector<mapping> mappings = read_mappings(pid_);
    calm_points points{memory, mappings};
    const auto end = clock::now() + most;
    do {
        for (const pid_t tid : threads_of(pid_)) {
            auto thread = std::make_unique<held_thread>(tid);
            if (const int error = thread->seize(); error != 0) {
                if (error == EPERM && tid == pid_) {
                    problem = why_not_traceable(pid_, error);
                    return nullptr;
                }
                continue; // it has ended
            }
            thread->interrupt();
            if (thread->wait(milliseconds{50}) == held_thread::state::held) {
                if (thread->is_stopped_by_job_control()) {
                    problem = fmt::format("process {} is stopped: let it go on first, with kill -CONT {}",
                                          pid_, pid_);
                    return nullptr;
                }
                if (points.is_calm(*thread)) {
                    return thread;
                }
            }
        }
        std::this_thread::sleep_for(between_looks);
    } while (clock::now() < end && !threads_of(pid_).empty());
    problem = threads_of(pid_).empty()
                  ? fmt::format("process {} has ended", pid_)
                  : fmt::format("no thread of process {} came to a point where it may open a library, within "
                                "{} s: try again, "
                                "or record it from its start with linn record -- PROG ARGS...",
                                pid_, most.count() / 1000);
    return nullptr;
}

std::string attachment::open_library(injection& calls) {
    const process_memory memory{pid_};
    const std::vector<mapping> mappings = read_mappings(pid_);
    if (has_other_recorder(mappings, library_)) {
        return fmt::format(
            "process {} has the recorder of another version of linn, from an earlier recording: restart it, "
            "or record it with that version",
            pid_);
    }
    std::uint64_t dlopen_at = 0;
    std::uint64_t dlerror_at = 0;
    for (const mapping& m : mappings) {
        if (m.offset == 0 && file_name(m).starts_with("libc.so")) {
            const mapped_symbols symbols{memory, m.begin};
            dlopen_at = symbols.find("dlopen");
            dlerror_at = symbols.find("dlerror");
        }
    }
    if (dlopen_at == 0 || dlerror_at == 0) {
        return fmt::format(
            "process {} has a C library without dlopen: linn attaches to programs with glibc 2.34 or later",
            pid_);
    }
    const std::string path = library_.string();
    const std::uint64_t path_at = calls.scratch();
    if (path.size() >= injection::scratch_bytes || !memory.write(path_at, path.c_str(), path.size() + 1)) {
        return fmt::format("the name of {} is too long", path);
    }
    if (calls.call(dlopen_at, {path_at, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE}, most_for_call, {}) !=
        injection::outcome::returned) {
        return in_words(answer::none, pid_);
    }
    door_ = find_door(pid_);
    if (door_ == 0) {
        // Clear the error of this dlopen, which the program did not call.
        calls.call(dlerror_at, {0, 0}, most_for_call, {});
        return fmt::format(
            "process {} could not open {}: may it read the file, and is there room in its static TLS?", pid_,
            path);
    }
    return {};
}

std::string attachment::call_enter(held_thread& thread, std::uint32_t chunks,
                                   const std::function<std::string(int, std::uint32_t)>& make_ring) {
    const process_memory memory{pid_};
    injection calls{thread, memory, find_restorer(memory, read_mappings(pid_))};
    if (!calls.begin()) {
        return fmt::format("the state of process {} could not be kept: try again", pid_);
    }
    door_ = find_door(pid_);
    if (door_ == 0) {
        if (std::string problem = open_library(calls); !problem.empty()) {
            calls.end();
            return problem;
        }
    }
    const auto set = [&](std::size_t at, std::uint32_t value) {
        memory.write(door_ + at, &value, sizeof value);
    };
    set(offsetof(door, go), 0);
    set(offsetof(door, chunks), chunks);
    set(offsetof(door, collector), static_cast<std::uint32_t>(::getpid()));
    set(offsetof(door, said), static_cast<std::uint32_t>(answer::none));
    std::string problem;
    bool is_ring_made = false;
    bool has_gone = false;
    held_process others{pid_};
    const auto meanwhile = [&] {
        const auto now = memory.get<door>(door_);
        if (!now) {
            return;
        }
        if (now->at == phase::wants_ring && now->ring_fd >= 0 && !is_ring_made) {
            is_ring_made = true;
            problem = make_ring(now->ring_fd, now->chunks);
        }
        if (now->at == phase::wants_go && !has_gone) {
            has_gone = true;
            sees_new_files_ = now->sees_new_files != 0;
            if (others.hold(most_for_holding)) {
                set(offsetof(door, go), 1);
            } else {
                problem = fmt::format(
                    "the threads of process {} could not be stopped for a moment: try again", pid_);
            }
        }
    };
    const auto enter_at = memory.get<door>(door_)->enter;
    const injection::outcome outcome = calls.call(enter_at, {0, 0}, most_for_call, meanwhile);
    calls.end();
    others.let_go();
    const auto said = memory.get<door>(door_);
    if (outcome != injection::outcome::returned || !said) {
        return in_words(answer::none, pid_);
    }
    return problem.empty() ? in_words(said->said, pid_) : problem;
}

/// The two libraries do not know of each other.
std::string attachment::why_recorded_already() const {
    const process_memory memory{pid_};
    for (const mapping& m : read_mappings(pid_)) {
        const std::string name = file_name(m);
        if (m.offset != 0 || !name.starts_with("liblinn-") || name == library_.filename().string()) {
            continue;
        }
        const std::uint64_t at = mapped_symbols{memory, m.begin}.find(door_symbol);
        const auto other = at == 0 ? std::nullopt : memory.get<door>(at);
        if (other && other->magic == door_magic && other->at != phase::idle) {
            return in_words(answer::in_use, pid_);
        }
    }
    return {};
}

std::string attachment::enter(std::uint32_t chunks,
                              const std::function<std::string(int, std::uint32_t)>& make_ring,
                              milliseconds most) {
    std::string problem = why_recorded_already();
    if (!problem.empty()) {
        return problem;
    }
    const std::unique_ptr<held_thread> thread = hold_calm_thread(most, problem);
    return thread == nullptr ? problem : call_enter(*thread, chunks, make_ring);
}

answer attachment::try_to_leave(pid_t process, std::uint64_t door_at) {
    const process_memory memory{process};
    const std::vector<mapping> mappings = read_mappings(process);
    const calm_points points{memory, mappings};
    const std::uint64_t restorer = find_restorer(memory, mappings);
    const std::string library = library_.filename().string();
    auto all = std::make_unique<held_process>(process);
    answer said = answer::none;
    if (all->hold(most_for_holding)) {
        bool is_anyone_inside = false;
        held_thread* chosen = nullptr;
        for (const auto& [tid, thread] : all->threads()) {
            user_regs_struct r{};
            if (thread->now() != held_thread::state::held || !thread->get_registers(r)) {
                continue;
            }
            const mapping* const code = mapping_at(mappings, code_address(r));
            if (code != nullptr && file_name(*code) == library) {
                is_anyone_inside = true;
            } else if (chosen == nullptr && points.has_room(r)) {
                chosen = thread.get();
            }
        }
        if (chosen == nullptr) {
            said = answer::busy;
        } else {
            injection calls{*chosen, memory, restorer};
            const auto set = [&](std::size_t at, std::uint32_t value) {
                memory.write(door_at + at, &value, sizeof value);
            };
            // Whether it may touch what belongs to the other threads.
            set(offsetof(door, go), is_anyone_inside ? 0 : 1);
            const auto leave_at = memory.get<door>(door_at);
            // Threads that are inside of the recorder have to go on before it can end; the hooks are out by then.
            unsigned steps = 0;
            const auto meanwhile = [&] {
                // It looks once, or twice, while all stand still: mostly that is enough.
                constexpr unsigned steps_while_still = 12;
                const auto now = memory.get<door>(door_at);
                if (now && now->at == phase::out && ++steps > steps_while_still) {
                    for (const auto& [tid, thread] : all->threads()) {
                        if (thread.get() != chosen) {
                            thread->release();
                        }
                    }
                }
            };
            if (leave_at && calls.begin() &&
                calls.call(leave_at->leave, {0, 0}, most_for_call, meanwhile) ==
                    injection::outcome::returned) {
                const auto now = memory.get<door>(door_at);
                said = now ? now->said : answer::none;
            }
            calls.end();
        }
    }
    all->let_go();
    if (!all->settle()) {
        unsettled_.push_back(std::move(all));
    }
    return said;
}

bool attachment::leave(pid_t process, std::string& problem) {
    const std::uint64_t door_at = process == pid_ ? door_ : find_door(process);
    if (door_at == 0 || find_door(process) != door_at) {
        return false;
    }
    answer said = answer::none;
    for (unsigned i = 0; i != most_tries; ++i) {
        said = try_to_leave(process, door_at);
        if (said != answer::busy) {
            break;
        }
        std::this_thread::sleep_for(milliseconds{1});
    }
    if (said == answer::none && threads_of(process).empty()) {
        return false;
    }
    if (said != answer::done) {
        problem =
            said == answer::still_used
                ? fmt::format("a thread of process {} is stuck in the recorder: the memory that it shares "
                              "stays there",
                              process)
                : fmt::format("the recorder could not be taken out of process {}; it takes itself out soon",
                              process);
    }
    return true;
}

bool attachment::is_in() const {
    const process_memory memory{pid_};
    const auto now = door_ == 0 ? std::nullopt : memory.get<door>(door_);
    return now && now->magic == door_magic && now->at == phase::in;
}

bool attachment::is_loaded() const {
    const auto now = door_ == 0 ? std::nullopt : process_memory{pid_}.get<door>(door_);
    return now && now->magic == door_magic;
}

void attachment::look_again() const {
    const process_memory memory{pid_};
    const auto now = memory.get<door>(door_);
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

void attachment::settle() {
    std::erase_if(unsettled_, [](const auto& held) { return held->settle(); });
}

} // namespace linn::tool::attach
