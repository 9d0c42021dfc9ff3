// SPDX-License-Identifier: Apache-2.0
#include "../measure/machine.hpp"
#include "../measure/process.hpp"
#include "../measure/quantity.hpp"
#include "../measure/suggest.hpp"
#include "../program/executable.hpp"
#include "attach/door.hpp"
#include "attach/thread.hpp"
#include "recording_base.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <thread>

namespace linn::tool {

#if defined(__x86_64__)

namespace {

namespace fs = std::filesystem;
using attach::answer;
using attach::borrowed_thread;
using attach::door;
using attach::mapping;
using std::chrono::milliseconds;

constexpr milliseconds slice{20};

/// A process that does not become another one under the same number; it is told when it ends.
class watched_process {
public:
    explicit watched_process(pid_t pid)
        : fd_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))),
          folder_(::open(fmt::format("/proc/{}", pid).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}
    /// False where another linn has locked it. The lock ends with this linn.
    bool lock() const noexcept {
        return ::flock(folder_.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    }
    /// A copy of a file descriptor that it has; negative where there is none. With its rights, not with ours: what the process
    /// could not write to, we cannot either.
    int copy_of(int fd) const noexcept {
        return static_cast<int>(::syscall(SYS_pidfd_getfd, fd_.get(), fd, 0));
    }
    bool has_ended() const noexcept {
        pollfd p{fd_.get(), POLLIN, 0};
        return fd_.get() >= 0 && ::poll(&p, 1, 0) == 1;
    }

private:
    owned_fd fd_;
    owned_fd folder_;
};

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
    case answer::none:
        break;
    }
    return fmt::format("process {} did not answer in time, or is busy with an earlier recording: try again",
                       pid);
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

/// One recording of a program that runs already: brings the recorder in, and takes it out. docs/design/attach.md
class attached_recording : recording_base {
public:
    attached_recording(record_options& options, const announce_function& announce, recording_watcher* watcher)
        : recording_base{options, announce, watcher},
          file_(options.file),
          watched_{options.attach_to} {}

    record_result run();

private:
    enum class end { detached, ended, other_program, hooks_left };

    bool prepare();
    /// Sets `door_` if the library is there. Returns why this process cannot be recorded, because of it or of another.
    std::string find_door();
    /// Loads the library unless it is there, and puts the hooks in. Returns an empty string, or why it did not work; then the program is as
    /// before, but for the library.
    std::string bring_in(borrowed_thread& thread);
    bool enter();
    /// What the library in the process, or in a child that it has forked, says; no value where it is not there any more.
    std::optional<door> look(pid_t process) const;
    /// Takes the hooks out of the process, or of a child that it has forked: they stand at the same places there. Returns an empty
    /// string, also where they were not found, because it has executed another program or has ended; or why they could not be.
    std::string take_out(pid_t process) const;
    std::uint32_t only_pid() const { return options_.follows ? 0 : static_cast<std::uint32_t>(facts_.pid); }
    std::string make_ring(int fd);
    void note_time() {
        const attach::used_time used = attach::time_used_by(facts_.pid);
        used_ = used.user_ns + used.system_ns > 0 ? used : used_;
    }
    end wait();
    end why_hooks_are_gone() const;
    void leave(end why);
    void note(end why, std::uint64_t ns_now);
    void warn();

    fs::path& file_; ///< of the options; made from the program's name where there is none
    watched_process watched_;
    attach::process_facts facts_;
    std::uint64_t door_ = 0; ///< where the library answers; 0: it is not there
    bool sees_new_files_ = false;
    attach::used_time used_before_;
    attach::used_time used_; ///< as far as it is known
};

bool attached_recording::prepare() {
    facts_ = attach::examine_process(options_.attach_to);
    if (!facts_.problem.empty()) {
        result_.is_usage_error = facts_.is_usage_error;
        return fail(facts_.problem);
    }
    if (!watched_.lock()) {
        return fail(in_words(answer::in_use, facts_.pid));
    }
    if (!find_library()) {
        return false;
    }
    std::error_code error;
    library_ = fs::canonical(library_, error);
    if (file_.empty()) {
        file_ = facts_.name + ".linn";
    }
    start_from(inspect_machine());
    start_.command = facts_.command;
    start_.directory = facts_.directory;
    start_.attached_pid = static_cast<std::uint32_t>(facts_.pid);
    start_.attached_age_ns = facts_.age_ns;
    if (!open_trace()) {
        return false;
    }
    begin_trace();
    return true;
}

std::string attached_recording::make_ring(int fd) {
    const auto chunks = static_cast<std::uint32_t>(ring_chunks);
    if (std::string problem = ring_.adopt(watched_.copy_of(fd), chunks, ring_options()); !problem.empty()) {
        return problem;
    }
    make_collector();
    start_collecting(only_pid());
    return {};
}

std::string attached_recording::find_door() {
    for (const mapping& m : attach::read_mappings(facts_.pid)) {
        if (m.offset != 0 || !is_recorder(m.file_name())) {
            continue;
        }
        const std::uint64_t found = find_in_file(m.path, attach::door_symbol);
        const auto other =
            found == 0 ? std::nullopt : attach::process_memory{facts_.pid}.get<door>(m.begin + found);
        if (!other || other->magic != attach::door_magic || other->size != sizeof(door)) {
            return fmt::format("process {} has the recorder of another version of linn, from an earlier "
                               "recording: restart it, or record it with that version",
                               facts_.pid);
        }
        if (m.path == library_.string()) {
            door_ = m.begin + found;
        } else if (other->is_in != 0) {
            return in_words(answer::in_use, facts_.pid);
        }
    }
    return {};
}

std::string attached_recording::bring_in(borrowed_thread& thread) {
    if (door_ == 0) {
        const std::vector<mapping> mappings = attach::read_mappings(facts_.pid);
        const std::uint64_t dlopen_at = find_in_libc(mappings, "dlopen");
        const std::uint64_t dlerror_at = find_in_libc(mappings, "dlerror");
        if (dlopen_at == 0 || dlerror_at == 0) {
            return fmt::format("the C library of process {} has no dlopen, or its file was replaced: linn "
                               "attaches to programs with glibc 2.34 or later. Restart it if it was updated",
                               facts_.pid);
        }
        if (!thread.call(dlopen_at, thread.text(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
            return in_words(answer::none, facts_.pid);
        }
        if (std::string problem = find_door(); !problem.empty()) {
            return problem;
        }
        if (door_ == 0) {
            thread.call(dlerror_at); // clear the error of this dlopen, which the program did not call
            return fmt::format(
                "process {} could not open {}: may it read the file, and is there room in its static TLS?",
                facts_.pid, library_.string());
        }
    }
    const auto before = look(facts_.pid);
    const bool is_open = before && thread.call(before->open_ring);
    const auto opened = look(facts_.pid);
    if (!is_open || !opened) {
        return in_words(answer::none, facts_.pid);
    }
    if (std::string problem = make_ring(opened->ring_fd); !problem.empty()) {
        thread.call(opened->leave); // closes the file
        return problem;
    }
    thread.call(opened->enter, ring_chunks);
    return in_words(look(facts_.pid).value_or(door{}).said, facts_.pid);
}

std::string attached_recording::take_out(pid_t process) const {
    answer said = answer::done;
    const int error = attach::borrow(process, attach::fit_for::calls, {}, [&](borrowed_thread& thread) {
        const auto before = look(process);
        if (!before) {
            return true; // another program
        }
        said = thread.call(before->leave) ? look(process).value_or(door{}).said : answer::none;
        return said != answer::busy;
    });
    if (error == ESRCH || (error == 0 && said == answer::done) || attach::threads_of(process).empty()) {
        return {};
    }
    return said == answer::still_used
               ? fmt::format("a thread of process {} is stuck in the recorder: the memory that it shares "
                             "stays there",
                             process)
               : fmt::format("the recorder could not be taken out of process {}; it takes itself out soon",
                             process);
}

std::optional<door> attached_recording::look(pid_t process) const {
    const auto now = door_ == 0 ? std::nullopt : attach::process_memory{process}.get<door>(door_);
    return now && now->magic == attach::door_magic ? now : std::nullopt;
}

bool attached_recording::enter() {
    used_before_ = used_ = attach::time_used_by(facts_.pid);
    std::string problem = find_door();
    if (problem.empty()) {
        const int error = attach::borrow(facts_.pid, attach::fit_for::loading, library_.string(),
                                         [&](borrowed_thread& thread) {
                                             problem = bring_in(thread);
                                             return true;
                                         });
        problem = error == 0 ? problem : attach::why_not_traceable(facts_.pid, error);
    }
    if (problem.empty()) {
        sees_new_files_ = look(facts_.pid).value_or(door{}).sees_new_files != 0;
        return true;
    }
    stop_watching();
    if (collector_) {
        collector_->finish();
    }
    remove_trace();
    return fail(problem);
}

attached_recording::end attached_recording::why_hooks_are_gone() const {
    constexpr unsigned most_looks = 100;
    for (unsigned i = 0; i != most_looks && !watched_.has_ended(); ++i) {
        if (look(facts_.pid)) {
            return end::hooks_left;
        }
        // A process that is about to end has no memory any more, and no program.
        std::error_code error;
        if (!fs::read_symlink(fmt::format("/proc/{}/exe", facts_.pid), error).empty()) {
            return end::other_program;
        }
        std::this_thread::sleep_for(slice);
    }
    return end::ended;
}

attached_recording::end attached_recording::wait() {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::duration<double>{options_.duration_s};
    for (;;) {
        note_time();
        if (watched_.has_ended()) {
            return end::ended;
        }
        if (const auto found = look(facts_.pid); !found || found->is_in == 0) {
            return why_hooks_are_gone();
        }
        const bool is_time = options_.duration_s > 0 && std::chrono::steady_clock::now() >= limit;
        if (!collector_->problem().empty() || is_time || desk_.wait_for_stop(slice)) {
            return end::detached;
        }
    }
}

/// The children that it has forked since have hooks of their own.
void attached_recording::leave(end why) {
    std::vector<std::uint32_t> with_hooks = collector_->living_processes();
    std::erase(with_hooks, static_cast<std::uint32_t>(facts_.pid));
    if (why == end::detached || why == end::hooks_left) {
        with_hooks.push_back(static_cast<std::uint32_t>(facts_.pid));
    }
    for (const std::uint32_t pid : with_hooks) {
        if (std::string problem = take_out(static_cast<pid_t>(pid)); !problem.empty()) {
            result_.warnings.push_back(std::move(problem));
        }
    }
}

void attached_recording::note(end why, std::uint64_t ns_now) {
    recording_end& e = result_.end;
    e.ending = why == end::ended           ? "the program ended"
               : why == end::other_program ? "the program executed another one"
               : why == end::hooks_left    ? "the hooks left the program, because linn stood still for 10 s"
                                           : "detached, and the program ran on";
    e.stopped = collector_->problem();
    e.ran_on = why != end::ended && why != end::other_program;
    e.duration_ns = ns_now - start_ns_;
    e.user_ns = used_.user_ns - used_before_.user_ns;
    e.system_ns = used_.system_ns - used_before_.system_ns;
}

void attached_recording::warn() {
    if (!sees_new_files_) {
        result_.warnings.emplace_back("libraries that the program loaded after linn had attached are not in "
                                      "the trace: its loader has no place to note that");
    }
    if (result_.end.events == 0 && result_.problem.empty()) {
        result_.warnings.push_back(
            fmt::format("nothing was recorded: {} allocated nothing meanwhile, or from a heap of its own, "
                        "or it calls an allocator that is linked into it",
                        facts_.name));
    }
}

record_result attached_recording::run() {
    if (!prepare() || !enter()) {
        return std::move(result_);
    }
    result_.was_started = true;
    announce_(fmt::format(
        "attached to {} (process {}, which has run for {}){}, and the program runs on",
        shell_words(facts_.command), facts_.pid, figures::written(figures::unit::nanoseconds, facts_.age_ns),
        options_.duration_s > 0
            ? fmt::format(" for {} s; Ctrl-C ends the recording earlier", options_.duration_s)
            : "; Ctrl-C ends the recording"));
    if (watcher_ != nullptr) {
        watcher_->begin(ring_, options_.file, only_pid());
    }
    const end why = wait();
    const instant ended = now();
    stop_watching();
    leave(why);
    note_time();
    collector_->finish();
    note(why, ended.ns);
    conclude(ended);
    warn();
    return std::move(result_);
}

} // namespace

record_result record_running_program(record_options& options, const announce_function& announce,
                                     recording_watcher* watcher) {
    return attached_recording{options, announce, watcher}.run();
}

#else

record_result record_running_program(record_options& options, const announce_function&, recording_watcher*) {
    const attach::process_facts facts = attach::examine_process(options.attach_to);
    record_result refused;
    refused.problem = facts.problem;
    refused.is_usage_error = facts.is_usage_error;
    return refused;
}

#endif

} // namespace linn::tool
