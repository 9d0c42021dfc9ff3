// SPDX-License-Identifier: Apache-2.0
#include "../measure/files.hpp"
#include "../measure/machine.hpp"
#include "../measure/process.hpp"
#include "../measure/quantity.hpp"
#include "../measure/suggest.hpp"
#include "../measure/ticks.hpp"
#include "../program/executable.hpp"
#include "attach/thread.hpp"
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
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>
#include <utility>

namespace linn::tool {

#if defined(__x86_64__)

namespace {

namespace fs = std::filesystem;
using attach::answer;
using attach::door;
using namespace std::string_literals;

/// How every refusal ends where nothing else helps.
constexpr const char* from_its_start = "Record it from its start: linn record -- PROG ARGS...";

std::string text_of(pid_t pid, const char* file) {
    return read_file(fmt::format("/proc/{}/{}", pid, file)).value_or("");
}

std::string link_of(pid_t pid, const char* link) {
    std::error_code error;
    return fs::read_symlink(fmt::format("/proc/{}/{}", pid, link), error).string();
}

/// The value of a line "Name:\tvalue" of /proc/PID/status.
std::string field(const std::string& status, const std::string& name) {
    const std::size_t at = ("\n" + status).find("\n" + name + ":\t");
    const std::size_t begin = at + name.size() + 2;
    return at == std::string::npos ? std::string{} : status.substr(begin, status.find('\n', begin) - begin);
}

/// The number that a value begins with.
std::uint64_t number(const std::string& value) {
    return std::strtoull(value.c_str(), nullptr, 10);
}

/// Nanoseconds of a time of /proc/PID/stat.
double time_of(const std::string& clock_ticks) {
    return static_cast<double>(number(clock_ticks)) * 1e9 / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

/// Whether it sees other files, or files under other names, or other numbers of processes than linn does.
bool is_in_container(pid_t pid) {
    return std::ranges::any_of(std::array{"ns/mnt", "ns/pid", "root"}, [&](const char* link) {
        return link_of(::getpid(), link) != link_of(pid, link);
    });
}

/// Why no thread could be used, as borrow() says it, and what to do.
std::string why_not_traceable(pid_t pid, int error) {
    if (error == ETIMEDOUT) {
        return fmt::format(
            "no thread of process {} came to a point where it may open a library: try again. {}", pid,
            from_its_start);
    }
    const std::vector<std::string> stat = stat_of(pid);
    if (error == ESRCH || stat.empty() || stat.front() == "Z" || stat.front() == "X") {
        return fmt::format("process {} has ended", pid);
    }
    const bool is_mine = ::geteuid() == 0 || number(field(text_of(pid, "status"), "Uid")) == ::geteuid();
    const std::uint64_t scope = number(read_file("/proc/sys/kernel/yama/ptrace_scope").value_or(""));
    return fmt::format(
        "process {} may not be traced: {}. {} {}", pid, std::strerror(error),
        !is_mine ? "It belongs to another user: run linn as that user, or as root."
        : scope == 0
            ? "Does it change its user, or refuse by prctl? Run linn as root, if you can."
            : fmt::format("kernel.yama.ptrace_scope is {}: run linn as root, or set it to 0 with sysctl.",
                          scope),
        from_its_start);
}

/// Why a process cannot be recorded, and what to do; empty: nothing is known. `name`: of its executable. Changes nothing.
std::string why_not_recordable(pid_t pid, const std::string& name, const std::string& status) {
    if (name.empty()) {
        return why_not_traceable(pid, EPERM);
    }
    executable_info info = inspect_executable(fmt::format("/proc/{}/exe", pid));
    const std::string tracer = field(status, "TracerPid");
    // The filter of a container concerns linn in there as well.
    const bool is_filtered = number(field(status, "Seccomp_filters")) >
                             number(field(text_of(::getpid(), "status"), "Seccomp_filters"));
    const std::pair<bool, std::string> reasons[] = {
        {tracer != "0",
         fmt::format("is traced already, by process {}: end that first, for a process has one tracer at most",
                     tracer)},
        {field(status, "State").starts_with('T'),
         fmt::format("is stopped: let it go on first, with kill -CONT {}", pid)},
        {is_in_container(pid),
         "runs in a container or a changed root, where it does not find the recorder: run linn in there"},
        {is_filtered,
         "has a seccomp filter, which may end it for a system call of the recorder. "s + from_its_start},
        {field(status, "x86_Thread_features").find("shstk") != std::string::npos,
         "has a shadow stack, which does not let linn call a function in it. "s + from_its_start},
        {info.what != executable_info::kind::program,
         "was built for another machine, or its program cannot be read"},
        {std::ranges::any_of(
             strings_of(text_of(pid, "environ")),
             [](const std::string& variable) { return variable.starts_with("LINN_RECORD="); }),
         "was started by linn record, and is recorded already"},
    };
    for (const auto& [holds, why] : reasons) {
        if (holds) {
            return fmt::format("process {} ({}) {}", pid, name, why);
        }
    }
    info.privilege.clear(); // nothing is preloaded
    return why_not_preloadable(fmt::format("process {} ({})", pid, name), info);
}

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
    for (const mapping& m : read_mappings(pid)) {
        if (m.is_code && m.path.starts_with('/')) {
            found.insert(m.path);
        }
    }
    return found;
}

/// One recording of a program that runs already: brings the recorder in, and takes it out. docs/design/attach.md
class attached_recording : recording_base {
public:
    using recording_base::recording_base;

    record_result run() {
        if (!prepare() || !enter()) {
            return std::move(result_);
        }
        result_.was_started = true;
        options_.announce(
            fmt::format("attached to {} (process {}, which has run for {}){}, and the program runs on",
                        shell_words(start_.command), pid_,
                        figures::written(figures::unit::nanoseconds, start_.attached_age_ns),
                        options_.duration_s > 0
                            ? fmt::format(" for {} s; Ctrl-C ends the recording earlier", options_.duration_s)
                            : "; Ctrl-C ends the recording"));
        recording_end& e = result_.end;
        e.ending = wait();
        const instant ended = now();
        watcher_ = {};
        if (e.ran_on) {
            leave();
        }
        note_time();
        collector_->finish();
        e.stopped = collector_->problem();
        e.duration_ns = ended.ns - start_ns_;
        conclude(ended);
        warn();
        return std::move(result_);
    }

private:
    bool prepare() {
        const std::string status = text_of(pid_, "status");
        if (number(field(status, "Tgid")) != static_cast<std::uint64_t>(pid_)) { // a thread has a folder too
            result_.is_usage_error = true;
            return fail(fmt::format("there is no process {}", pid_));
        }
        name_ = fs::path{link_of(pid_, "exe")}.filename().string();
        if (std::string why = why_not_recordable(pid_, name_, status); !why.empty()) {
            return fail(std::move(why));
        }
        if (::flock(folder_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
            return fail(in_words(answer::in_use, pid_));
        }
        if (!find_library()) {
            return false;
        }
        std::error_code error;
        library_ = fs::canonical(library_, error);
        if (options_.file.empty()) {
            options_.file = name_ + ".linn";
        }
        start_from(inspect_machine());
        start_.command = strings_of(text_of(pid_, "cmdline"));
        // What is left of longer arguments where a program, such as PostgreSQL, wrote a title over them.
        while (start_.command.size() > 1 && start_.command.back().empty()) {
            start_.command.pop_back();
        }
        start_.directory = link_of(pid_, "cwd");
        start_.attached_pid = static_cast<std::uint32_t>(pid_);
        const std::vector<std::string> stat = stat_of(pid_);
        if (stat.size() <= 19) {
            return fail(why_not_traceable(pid_, ESRCH));
        }
        start_.attached_age_ns = static_cast<double>(clock_ns(CLOCK_BOOTTIME)) - time_of(stat[19]);
        return begin_trace();
    }

    bool enter() {
        std::string problem;
        const int error =
            attach::borrow(pid_, library_.string(), [&](const attach::remote_call& call, std::uint64_t path) {
                problem = bring_in(call, path);
                return true;
            });
        if (error != 0) {
            problem = why_not_traceable(pid_, error);
        }
        if (problem.empty()) {
            libraries_ = libraries_of(pid_);
            note_time(); // only now: what it took to load the recorder is not the program's
            return true;
        }
        remove_trace();
        return fail(problem);
    }

    /// Loads the library unless it is there, and puts the hooks in. `path`: of the library, in the process. Returns an empty string, or
    /// why it did not work; then the program is as before, but for the library.
    std::string bring_in(const attach::remote_call& call, std::uint64_t path) {
        const std::vector<mapping> mappings = read_mappings(pid_);
        const std::uint64_t dlopen_at = find(mappings, "libc.so", "dlopen");
        const std::uint64_t dlerror_at = find(mappings, "libc.so", "dlerror");
        if (dlopen_at == 0 || dlerror_at == 0) {
            return fmt::format("the C library of process {} has no dlopen, or its file was replaced: linn "
                               "attaches to programs with glibc 2.35 or later. Restart it if it was updated",
                               pid_);
        }
        if (!call(dlopen_at, path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
            return in_words(answer::none, pid_);
        }
        door_ = find(read_mappings(pid_), library_.filename().string(), attach::door_symbol);
        const wire::ring_options wanted = ring_options();
        const auto before = look();
        if (!before || !attach::write_memory(pid_, door_ + offsetof(door, options), &wanted, sizeof wanted)) {
            call(dlerror_at, 0, 0); // clear the error of this dlopen, which the program did not call
            return fmt::format(
                "process {} could not open {}: may it read the file, and is there room in its static "
                "TLS? If it was recorded by another version of linn, restart it",
                pid_, library_.string());
        }
        if (const answer said = ask(call, ring_chunks); said != answer::done) {
            return in_words(said, pid_);
        }
        // With the rights of the process, not with ours: what it could not write to, we cannot either.
        const int ring_fd = look().value_or(door{}).ring_fd;
        std::string problem =
            ring_.adopt(static_cast<int>(::syscall(SYS_pidfd_getfd, process_.get(), ring_fd, 0)));
        if (problem.empty()) {
            start_collecting(pid_);
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
        const auto now = attach::read_memory<door>(pid_, door_);
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
            const bool has_executed = !found && has_program(pid_);
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
        attach::borrow(pid_, {}, [&](const attach::remote_call& call, std::uint64_t) {
            said = ask(call, 0);
            return said != answer::busy;
        });
        if (said != answer::done && !has_ended()) {
            result_.warnings.push_back(fmt::format(
                "the recorder could not be taken out of process {}; it takes itself out soon", pid_));
        }
    }

    void warn() {
        std::vector<std::string> late;
        if (result_.end.ran_on) {
            std::ranges::set_difference(libraries_of(pid_), libraries_, std::back_inserter(late));
        }
        if (!late.empty()) {
            result_.warnings.push_back(fmt::format(
                "calls of libraries that the program loaded after linn had attached are not in the trace: {}",
                fmt::join(late, ", ")));
        }
        if (result_.end.events == 0 && result_.problem.empty()) {
            result_.warnings.push_back(fmt::format(
                "nothing was recorded: {} allocated nothing meanwhile, or from a heap of its own, "
                "or it calls an allocator that is linked into it",
                name_));
        }
    }

    /// CPU time since linn attached: that of the system to 10 ms. A process that has ended tells nothing more.
    void note_time() {
        const std::vector<std::string> stat = stat_of(pid_);
        clockid_t clock{};
        const double used_ns =
            ::clock_getcpuclockid(pid_, &clock) == 0 ? static_cast<double>(clock_ns(clock)) : 0;
        if (stat.size() <= 12 || used_ns <= used_before_ns_) {
            return;
        }
        const double system_ns = time_of(stat[12]);
        if (used_before_ns_ == 0) {
            used_before_ns_ = used_ns;
            system_before_ns_ = system_ns;
        }
        recording_end& e = result_.end;
        e.system_ns = std::min(system_ns - system_before_ns_, used_ns - used_before_ns_);
        e.user_ns = used_ns - used_before_ns_ - e.system_ns;
    }

    const pid_t pid_ = options_.attach_to;
    /// Does not become another process under the same number; readable when it has ended.
    owned_fd process_{static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0))};
    /// Locked by the one linn that records the process.
    owned_fd folder_{::open(fmt::format("/proc/{}", pid_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    std::string name_;                ///< of its executable, without the directory
    std::uint64_t door_ = 0;          ///< where the library answers; 0: it is not there
    std::set<std::string> libraries_; ///< that the program had when the recording began
    double used_before_ns_ = 0;       ///< of CPU time; 0: not known yet
    double system_before_ns_ = 0;     ///< of that in the system
};

} // namespace

record_result record_running_program(const record_options& options) {
    return attached_recording{options}.run();
}

#else

record_result record_running_program(const record_options&) {
    record_result refused;
    refused.problem = "linn attaches on x86-64 only. Record it from its start: linn record -- PROG ARGS...";
    return refused;
}

#endif

} // namespace linn::tool
