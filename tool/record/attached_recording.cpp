// SPDX-License-Identifier: Apache-2.0
#include "../measure/machine.hpp"
#include "../measure/process.hpp"
#include "../measure/quantity.hpp"
#include "../measure/suggest.hpp"
#include "../program/executable.hpp"
#include "attach/process.hpp"
#include "preload/attached.hpp"
#include "recording_base.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <set>
#include <thread>

namespace linn::tool {

#if defined(__x86_64__)

namespace {

namespace fs = std::filesystem;
using attach::answer;
using attach::door;
using attach::mapping;

std::string in_words(answer said, pid_t pid) {
    return fmt::format("process {} {}", pid,
                       said == answer::in_use ? "is recorded already, by another linn"
                       : said == answer::no_memory
                           ? "has no room for the memory to share: its limits (ulimit -v and -f) are too low"
                           : "did not answer in time, or is busy with an earlier recording: try again");
}

/// The address of a symbol of a library in a process; 0 if there is none.
std::uint64_t find(const std::vector<mapping>& mappings, std::string_view library, std::string_view name) {
    for (const mapping& m : mappings) {
        if (m.offset == 0 && m.file_name().starts_with(library)) {
            const std::uint64_t found = find_in_file(m.path, name);
            return found == 0 ? 0 : m.begin + found;
        }
    }
    return 0;
}

/// The files of code that a process has mapped.
std::set<std::string> libraries_of(pid_t pid) {
    std::set<std::string> found;
    for (const mapping& m : attach::read_mappings(pid)) {
        if (m.is_code && m.path.starts_with('/')) {
            found.insert(m.path);
        }
    }
    return found;
}

/// One recording of a program that runs already: brings the recorder in, and takes it out. docs/design/attach.md
class attached_recording : recording_base {
public:
    attached_recording(record_options& options, const announce_function& announce,
                       const watch_function& watch)
        : recording_base{options, announce, watch},
          file_(options.file),
          process_{static_cast<int>(::syscall(SYS_pidfd_open, options.attach_to, 0))},
          folder_{::open(fmt::format("/proc/{}", options.attach_to).c_str(),
                         O_RDONLY | O_DIRECTORY | O_CLOEXEC)} {}

    record_result run() {
        if (!prepare() || !enter()) {
            return std::move(result_);
        }
        result_.was_started = true;
        announce_(
            fmt::format("attached to {} (process {}, which has run for {}){}, and the program runs on",
                        shell_words(facts_.command), facts_.pid,
                        figures::written(figures::unit::nanoseconds, facts_.age_ns),
                        options_.duration_s > 0
                            ? fmt::format(" for {} s; Ctrl-C ends the recording earlier", options_.duration_s)
                            : "; Ctrl-C ends the recording"));
        recording_end& e = result_.end;
        e.ending = wait();
        const instant ended = now();
        stop_watching();
        if (e.ran_on) {
            leave();
        }
        note_time();
        collector_->finish();
        e.stopped = collector_->problem();
        e.duration_ns = ended.ns - start_ns_;
        const double used_ns = used_.all_ns - used_before_.all_ns;
        e.system_ns = std::min(used_.system_ns - used_before_.system_ns, used_ns);
        e.user_ns = used_ns - e.system_ns;
        conclude(ended);
        warn();
        return std::move(result_);
    }

private:
    bool prepare() {
        facts_ = attach::examine_process(options_.attach_to);
        if (!facts_.problem.empty()) {
            result_.is_usage_error = facts_.is_usage_error;
            return fail(facts_.problem);
        }
        if (::flock(folder_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
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

    bool enter() {
        used_before_ = used_ = attach::time_used_by(facts_.pid);
        std::string problem;
        const int error = attach::borrow(facts_.pid, library_.string(),
                                         [&](const attach::remote_call& call, std::uint64_t path) {
                                             problem = bring_in(call, path);
                                             return true;
                                         });
        if (error != 0) {
            problem = attach::why_not_traceable(facts_.pid, error);
        }
        if (problem.empty()) {
            libraries_ = libraries_of(facts_.pid);
            return true;
        }
        remove_trace();
        return fail(problem);
    }

    /// Loads the library unless it is there, and puts the hooks in. `path`: of the library, in the process. Returns an empty string, or
    /// why it did not work; then the program is as before, but for the library.
    std::string bring_in(const attach::remote_call& call, std::uint64_t path) {
        const std::vector<mapping> mappings = attach::read_mappings(facts_.pid);
        const std::uint64_t dlopen_at = find(mappings, "libc.so", "dlopen");
        const std::uint64_t dlerror_at = find(mappings, "libc.so", "dlerror");
        if (dlopen_at == 0 || dlerror_at == 0) {
            return fmt::format("the C library of process {} has no dlopen, or its file was replaced: linn "
                               "attaches to programs with glibc 2.34 or later. Restart it if it was updated",
                               facts_.pid);
        }
        if (!call(dlopen_at, path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
            return in_words(answer::none, facts_.pid);
        }
        door_ = find(attach::read_mappings(facts_.pid), library_.filename().string(), attach::door_symbol);
        const wire::ring_options wanted = ring_options();
        const auto before = look();
        if (!before ||
            !attach::write_memory(facts_.pid, door_ + offsetof(door, options), &wanted, sizeof wanted)) {
            call(dlerror_at, 0, 0); // clear the error of this dlopen, which the program did not call
            return fmt::format(
                "process {} could not open {}: may it read the file, and is there room in its static "
                "TLS? If it was recorded by another version of linn, restart it",
                facts_.pid, library_.string());
        }
        if (const answer said = ask(call, ring_chunks); said != answer::done) {
            return in_words(said, facts_.pid);
        }
        // With the rights of the process, not with ours: what it could not write to, we cannot either.
        const int ring_fd = look().value_or(door{}).ring_fd;
        std::string problem =
            ring_.adopt(static_cast<int>(::syscall(SYS_pidfd_getfd, process_.get(), ring_fd, 0)));
        if (problem.empty()) {
            start_collecting(facts_.pid);
        } else {
            ask(call, 0);
        }
        return problem;
    }

    /// Has the library put the hooks in, or take them out where there are no chunks.
    answer ask(const attach::remote_call& call, std::uint32_t chunks) const {
        const auto before = look();
        const bool has_returned = before && call(reinterpret_cast<std::uint64_t>(before->change), chunks, 0);
        return has_returned ? look().value_or(door{}).said : answer::none;
    }

    /// What the library in the process says; no value where it is not there, or that of another version.
    std::optional<door> look() const {
        const auto now = attach::read_memory<door>(facts_.pid, door_);
        return now && now->magic == attach::door_magic && now->size == sizeof(door) ? now : std::nullopt;
    }

    bool has_ended() const {
        pollfd p{process_.get(), POLLIN, 0};
        return ::poll(&p, 1, 0) == 1;
    }

    /// Until the recording is over. Returns why, for the trace.
    std::string wait() {
        constexpr std::chrono::milliseconds slice{20};
        const instant begin = now();
        result_.end.ran_on = true;
        do {
            note_time();
            const auto found = look();
            if (found && found->is_in == 0) {
                return "the hooks left the program, because linn stood still for 10 s";
            }
            // A process that is about to end has no memory any more, and no program.
            const bool has_executed = !found && attach::has_program(facts_.pid);
            if (has_executed || has_ended()) {
                result_.end.ran_on = false;
                return has_executed ? "the program executed another one" : "the program ended";
            }
        } while (collector_->problem().empty() && !desk_.wait_for_stop(slice) &&
                 (options_.duration_s == 0 ||
                  static_cast<double>(now().ns - begin.ns) < options_.duration_s * 1e9));
        return "detached, and the program ran on";
    }

    /// Takes the hooks out. Children that the program has forked do so themselves, when they allocate next.
    void leave() {
        answer said = answer::none;
        attach::borrow(facts_.pid, {}, [&](const attach::remote_call& call, std::uint64_t) {
            said = ask(call, 0);
            return said != answer::busy;
        });
        if (said != answer::done && !has_ended()) {
            result_.warnings.push_back(fmt::format(
                "the recorder could not be taken out of process {}; it takes itself out soon", facts_.pid));
        }
    }

    void warn() {
        std::set<std::string> late = result_.end.ran_on ? libraries_of(facts_.pid) : std::set<std::string>{};
        std::erase_if(late, [&](const std::string& library) { return libraries_.contains(library); });
        if (!late.empty()) {
            result_.warnings.push_back(fmt::format(
                "calls of libraries that the program loaded after linn had attached are not in the trace: {}",
                fmt::join(late, ", ")));
        }
        if (result_.end.events == 0 && result_.problem.empty()) {
            result_.warnings.push_back(fmt::format(
                "nothing was recorded: {} allocated nothing meanwhile, or from a heap of its own, "
                "or it calls an allocator that is linked into it",
                facts_.name));
        }
    }

    void note_time() {
        const attach::used_time used = attach::time_used_by(facts_.pid);
        used_ = used.all_ns > 0 ? used : used_;
    }

    fs::path& file_;   ///< of the options; made from the program's name where there is none
    owned_fd process_; ///< does not become another one under the same number; readable when it has ended
    owned_fd folder_;  ///< locked by the one linn that records the process
    attach::process_facts facts_;
    std::uint64_t door_ = 0;          ///< where the library answers; 0: it is not there
    std::set<std::string> libraries_; ///< that the program had when the recording began
    attach::used_time used_before_;
    attach::used_time used_; ///< as far as it is known
};

} // namespace

record_result record_running_program(record_options& options, const announce_function& announce,
                                     const watch_function& watch) {
    return attached_recording{options, announce, watch}.run();
}

#else

record_result record_running_program(record_options&, const announce_function&, const watch_function&) {
    record_result refused;
    refused.problem = "linn attaches on x86-64 only. Record it from its start: linn record -- PROG ARGS...";
    return refused;
}

#endif

} // namespace linn::tool
