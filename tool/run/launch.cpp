// SPDX-License-Identifier: Apache-2.0
#include "launch.hpp"

#include "../measure/machine.hpp"
#include "../measure/ticks.hpp"
#include "launcher/protocol.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <utility>

namespace linn::tool {
namespace {

namespace fs = std::filesystem;
using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using ending = observation::ending;

/// While it lives, this thread runs on these CPUs only, and so does what it starts. An empty list changes nothing.
class pinning {
public:
    explicit pinning(const std::string& list) {
        if (list.empty()) {
            return;
        }
        knows_before_ = ::sched_getaffinity(0, sizeof before_, &before_) == 0;
        cpu_set_t set;
        CPU_ZERO(&set);
        for (const unsigned cpu : cpus_in(list).value_or(std::vector<unsigned>{})) {
            CPU_SET(cpu, &set);
        }
        is_done_ = ::sched_setaffinity(0, sizeof set, &set) == 0;
    }
    pinning(const pinning&) = delete;
    pinning& operator=(const pinning&) = delete;
    ~pinning() {
        if (knows_before_) {
            ::sched_setaffinity(0, sizeof before_, &before_);
        }
    }

    bool is_done() const noexcept { return is_done_; }

private:
    cpu_set_t before_{};
    bool knows_before_ = false;
    bool is_done_ = true;
};

/// A running linn-launcher, and through it a program and everything that this starts. The destructor ends all of them.
class supervisor {
public:
    /// Of `what` it uses program, arguments, environment, directory and CPUs.
    /// @param preload the value of LD_PRELOAD
    /// @param streams descriptors of standard input, output and error; -1: /dev/null
    supervisor(const launch_spec& what, const std::string& preload, const std::array<int, 3>& streams) {
        const std::string program = companion("linn-launcher").string();
        std::vector<std::string> command{program, std::to_string(::getpid()), what.directory.string(),
                                         preload, what.program.string()};
        command.insert(command.end(), what.arguments.begin(), what.arguments.end());

        static_assert(launcher::report_fd == 3 && launcher::report_fd < first_owned_fd);
        // In a session of its own, so that no terminal's signal reaches it, and with every signal blocked, so that ours
        // wait until it is ready for them.
        sigset_t all;
        sigfillset(&all);
        pipe_ends ends = make_pipe();
        const pinning pinned{what.cpus};
        if (!pinned.is_done()) {
            launcher_ = -EINVAL;
            problem_ = fmt::format("CPUs \"{}\"", what.cpus);
        } else if (!ends.write) {
            launcher_ = -errno;
        } else {
            launcher_ =
                spawn(command, what.environment, {streams[0], streams[1], streams[2], ends.write.get()},
                      POSIX_SPAWN_SETSID, all);
        }
        reports_ = std::move(ends.read);
        if (launcher_ < 0) {
            report_.failed = launcher::step::fork;
            report_.error = -launcher_;
            if (launcher_ != -E2BIG && problem_.empty()) {
                problem_ = fmt::format("{}: {}", program, std::strerror(-launcher_));
            }
            finished_ = true;
        }
    }
    supervisor(const supervisor&) = delete;
    supervisor& operator=(const supervisor&) = delete;
    ~supervisor() {
        end_all();
        wait();
    }

    /// Readable when the report is there, or when the launcher died.
    int fd() const noexcept { return reports_.get(); }

    /// Takes the report if it is there, and reaps the launcher. True from then on.
    bool is_finished() {
        pollfd ready{reports_.get(), POLLIN, 0};
        if (finished_ || ::poll(&ready, 1, 0) <= 0) {
            return finished_;
        }
        launcher::report received;
        const ssize_t got = ::read(reports_.get(), &received, sizeof received);
        if (got < 0 && errno == EINTR) {
            return false;
        }
        while (::waitpid(launcher_, nullptr, 0) < 0 && errno == EINTR) {
        }
        finished_ = true;
        if (got == sizeof received && received.magic == launcher::report::right_magic) {
            report_ = received;
        } else {
            report_.failed = launcher::step::fork;
            report_.error = ECHILD;
            problem_ = "linn-launcher, the helper that starts programs, was killed";
        }
        return true;
    }

    /// Until it is finished.
    void wait() {
        while (!is_finished()) {
            pollfd ready{reports_.get(), POLLIN, 0};
            ::poll(&ready, 1, -1);
        }
    }

    void ask_to_end() noexcept { send(SIGUSR1); } ///< SIGTERM to the program alone
    void end_all() noexcept { send(SIGTERM); }    ///< SIGTERM to everything, and soon SIGKILL

    /// Valid once finished. When the launcher itself could not be started or died, `failed` is `step::fork` and
    /// `launcher_problem()` says why.
    const launcher::report& report() const noexcept { return report_; }
    const std::string& launcher_problem() const noexcept { return problem_; }

private:
    void send(int signal) noexcept {
        if (!finished_) {
            ::kill(launcher_, signal);
        }
    }

    pid_t launcher_ = -1;
    owned_fd reports_;
    launcher::report report_;
    std::string problem_;
    bool finished_ = false;
};

constexpr milliseconds look_interval{50};
constexpr milliseconds tick_interval{200};
constexpr milliseconds ready_interval{20};
constexpr milliseconds ready_attempt{10'000};
constexpr milliseconds end_grace{1'000};   ///< that a client has to end after its server
constexpr milliseconds polite_end{10'000}; ///< that a server has to end after SIGTERM

owned_fd memory_file(const char* name) {
    return owned_fd{::memfd_create(name, MFD_CLOEXEC)};
}

launch_spec shell_command(const std::string& command, const std::vector<std::string>& environment,
                          const fs::path& directory) {
    launch_spec p;
    p.program = "/bin/sh";
    p.arguments = {"sh", "-c", command};
    p.environment = environment;
    p.directory = directory;
    return p;
}

std::uint64_t size_of(const owned_fd& file) {
    struct stat s{};
    return file && ::fstat(file.get(), &s) == 0 && S_ISREG(s.st_mode) ? static_cast<std::uint64_t>(s.st_size)
                                                                      : 0;
}

/// What was written to a file of memory; nothing of a device.
std::string content_of(const owned_fd& file) {
    std::string text(size_of(file), '\0');
    const ssize_t got = ::pread(file.get(), text.data(), text.size(), 0);
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return text;
}

std::string describe_status(int status) {
    return WIFSIGNALED(status) ? fmt::format("was killed by {}", signal_name(WTERMSIG(status)))
                               : fmt::format("ended with exit status {}", WEXITSTATUS(status));
}

/// Waits for supervised programs and looks at what they write.
class watcher {
public:
    watcher(const launch_spec& spec, const interrupt_guard& guard, const std::function<void()>& tick)
        : spec_(spec),
          guard_(guard),
          tick_(tick),
          next_tick_(clock::now() + tick_interval) {}

    /// Until one of `programs` has finished; otherwise how a run that goes on no longer ends.
    std::optional<ending> wait(std::initializer_list<supervisor*> programs, clock::time_point deadline,
                               std::initializer_list<const owned_fd*> files) {
        for (;;) {
            for (supervisor* const p : programs) {
                if (p->is_finished()) {
                    return std::nullopt;
                }
            }
            if (interrupt_guard::pending() != 0) {
                return ending::interrupted;
            }
            for (const owned_fd* const f : files) {
                if (size_of(*f) > spec_.most_output_bytes) {
                    return ending::too_much_output;
                }
            }
            const auto now = clock::now();
            if (now >= deadline) {
                return ending::timed_out;
            }
            if (now >= next_tick_) {
                tick_();
                next_tick_ = now + tick_interval;
            }
            sleep(programs, std::min<clock::duration>(look_interval, deadline - now));
        }
    }

private:
    void sleep(std::initializer_list<supervisor*> programs, clock::duration how_long) const {
        pollfd fds[2]{};
        nfds_t count = 0;
        for (const supervisor* const p : programs) {
            fds[count++] = {p->fd(), POLLIN, 0};
        }
        const auto ns = std::chrono::nanoseconds{how_long}.count();
        const std::timespec wait{ns / 1'000'000'000, ns % 1'000'000'000};
        ::ppoll(fds, count, &wait, &guard_.wait_mask());
    }

    const launch_spec& spec_;
    const interrupt_guard& guard_;
    const std::function<void()>& tick_;
    clock::time_point next_tick_;
};

/// One run: the program, and for a server its client.
class run {
public:
    run(const launch_spec& spec, const interrupt_guard& guard, const std::function<void()>& tick)
        : spec_(spec),
          watcher_(spec, guard, tick) {}

    observation take() {
        if (!open_files()) {
            return std::move(o_);
        }
        supervisor program = start();
        if (spec_.client.empty()) {
            wait_for(program);
        } else {
            serve(program);
        }
        program.wait();
        fill_in(program);
        return std::move(o_);
    }

private:
    bool fail(int error, std::string detail) {
        end_with(ending::not_started, error, std::move(detail));
        return false;
    }

    bool open_files() {
        if (!spec_.input.empty()) {
            input_ = owned_fd{::open(spec_.input.c_str(), O_RDONLY | O_CLOEXEC)};
            if (!input_) {
                return fail(errno, "the input " + spec_.input.string());
            }
        }
        output_ = memory_file("linn-output");
        errors_ = memory_file("linn-errors");
        if (!output_ || !errors_) {
            return fail(errno, "a memory file for its output");
        }
        try {
            folder_.emplace();
        } catch (const fs::filesystem_error& e) {
            return fail(e.code().value(), e.path1().parent_path().string());
        }
        return true;
    }

    supervisor start() {
        launch_spec p = spec_;
        p.program = fs::absolute(spec_.program);
        std::erase_if(p.environment, [](const std::string& variable) {
            return variable.starts_with("LD_PRELOAD=") || variable.starts_with("LINN_PROBE=") ||
                   variable.starts_with("LINN_LITTER=");
        });
        if (!spec_.litter.empty()) {
            p.environment.push_back(fmt::format("{}={:010}:{}", probe::litter_variable, spec_.litter_seed,
                                                spec_.litter.string())); // of one size in all rounds
        }
        const std::string library = preloadable(spec_.library);
        std::string preload;
        for (const std::string& one : {preloadable(companion("liblinn-probe.so")), spec_.runtime, library,
                                       preloadable(spec_.behind)}) {
            preload += one.empty() || preload.empty() ? one : ":" + one;
        }
        p.environment.push_back(fmt::format("{}={:0{}}:{}:{}", probe::variable, 0, probe::pid_digits,
                                            folder_->records().string(), library));
        return {p, preload, {input_.get(), output_.get(), errors_.get()}};
    }

    std::string preloadable(const fs::path& library) {
        return library.empty() ? std::string{} : folder_->preloadable(library);
    }

    /// The run ends so, regardless of the program's exit status.
    void end_with(ending how, int code = 0, std::string detail = {}) {
        is_decided_ = true;
        o_.how = how;
        o_.code = code;
        o_.detail = std::move(detail);
    }

    void wait_for(supervisor& program) {
        const std::optional<ending> why =
            watcher_.wait({&program}, clock::now() + spec_.timeout, {&output_, &errors_});
        if (why) {
            end_with(*why);
            program.end_all();
        }
    }

    enum class shell_end { succeeded, failed, out_of_time, program_ended, stopped };

    /// Runs a shell command while the server runs.
    shell_end run_shell(supervisor& program, const std::string& command, clock::time_point deadline) {
        const owned_fd said = memory_file("linn-client");
        supervisor shell{
            shell_command(command, spec_.environment, spec_.directory), "", {-1, said.get(), said.get()}};
        std::optional<ending> why = watcher_.wait({&program, &shell}, deadline, {&output_, &errors_, &said});
        if (!why && !shell.is_finished()) { // a client may end the server as its last act
            why = watcher_.wait({&shell}, std::min(deadline, clock::now() + end_grace), {&said});
        }
        const bool is_done = shell.is_finished();
        if (!is_done) {
            shell.end_all();
        }
        shell.wait();
        said_ = tail(content_of(said), 5, 600);
        client_status_ = shell.report().status;
        client_wall_ns_ = static_cast<double>(shell.report().wall_ns);
        if (is_done && shell.report().failed == launcher::step::none && client_status_ == 0) {
            return shell_end::succeeded;
        }
        if (why && why != ending::timed_out) {
            end_with(*why);
            return shell_end::stopped;
        }
        if (program.is_finished()) {
            return shell_end::program_ended;
        }
        return is_done ? shell_end::failed : shell_end::out_of_time;
    }

    shell_end wait_until_ready(supervisor& program) {
        const auto deadline = clock::now() + spec_.timeout;
        std::string answer; // the last one that was not cut off
        for (;;) {
            const auto until = std::min(deadline, clock::now() + ready_attempt);
            const shell_end how = run_shell(program, spec_.ready, until);
            if (how != shell_end::failed && how != shell_end::out_of_time) {
                return how;
            }
            if (how == shell_end::failed || answer.empty()) {
                answer = said_;
            }
            if (clock::now() >= deadline) {
                end_with(ending::never_ready, 0, answer);
                return shell_end::stopped;
            }
            watcher_.wait({&program}, clock::now() + ready_interval, {});
        }
    }

    void serve(supervisor& program) {
        shell_end how = spec_.ready.empty() ? shell_end::succeeded : wait_until_ready(program);
        if (how == shell_end::succeeded) {
            how = run_shell(program, spec_.client, clock::now() + spec_.timeout);
        }
        if (how == shell_end::failed) {
            end_with(ending::client_failed,
                     WIFSIGNALED(client_status_) ? 128 + WTERMSIG(client_status_)
                                                 : WEXITSTATUS(client_status_),
                     said_);
        } else if (how == shell_end::out_of_time) {
            end_with(ending::timed_out);
        }
        ended_early_ = how == shell_end::program_ended;
        if (how == shell_end::succeeded || how == shell_end::failed) {
            program.ask_to_end();
            watcher_.wait({&program}, clock::now() + polite_end, {});
        }
        program.end_all();
    }

    void fill_in(const supervisor& program) {
        const launcher::report& r = program.report();
        o_.output = content_of(output_);
        o_.errors = content_of(errors_);
        o_.left_behind = r.left_behind;
        o_.last_name.assign(r.last_name, ::strnlen(r.last_name, sizeof r.last_name));
        if (r.failed != launcher::step::none) {
            fail(r.error, r.failed == launcher::step::directory ? "directory " + spec_.directory.string()
                                                                : program.launcher_problem());
            return;
        }
        if (!is_decided_) {
            decide(r);
        }
        const auto number = [](auto n) { return static_cast<double>(n); };
        o_.values = {
            {"wall_ns", number(r.wall_ns)},
            {"user_ns", number(nanoseconds_of(r.used.ru_utime))},
            {"sys_ns", number(nanoseconds_of(r.used.ru_stime))},
            {"peak_rss_bytes", number(r.used.ru_maxrss) * 1024},
            {"minor_faults", number(r.used.ru_minflt)},
            {"major_faults", number(r.used.ru_majflt)},
            {"voluntary_switches", number(r.used.ru_nvcsw)},
            {"involuntary_switches", number(r.used.ru_nivcsw)},
        };
        if (!spec_.client.empty()) {
            o_.values["wall_ns"] = client_wall_ns_;
        }
        o_.proofs = read_proofs(folder_->records());
        leave_out_litter();
    }

    /// What littering took is not the program's. It was litter before each exec of the main process.
    void leave_out_litter() {
        const auto subtract = [this](const char* name, std::uint64_t taken) {
            double& value = o_.values[name];
            value = std::max(0.0, value - static_cast<double>(taken));
        };
        for (const process_proof& p : o_.proofs) {
            if (p.littered.blocks == 0) {
                continue;
            }
            subtract("user_ns", p.littered.user_ns);
            subtract("sys_ns", p.littered.sys_ns);
            subtract("minor_faults", p.littered.minor_faults);
            if (spec_.client.empty()) {
                subtract("wall_ns", p.littered.wall_ns);
            }
        }
    }

    void decide(const launcher::report& r) {
        const bool by_signal = WIFSIGNALED(r.status);
        o_.how = by_signal ? ending::signalled : ending::exited;
        o_.code = by_signal ? WTERMSIG(r.status) : WEXITSTATUS(r.status);
        o_.core_dumped = by_signal && WCOREDUMP(r.status);
        if (ended_early_) {
            // A crash is named; a server that just ends may have gone to the background.
            if (!by_signal && o_.code == 0) {
                end_with(ending::never_ready, 1);
            }
            o_.detail =
                fmt::format("the program {} before its client had finished", describe_status(r.status));
        } else if (!spec_.client.empty() &&
                   ((by_signal && (o_.code == SIGTERM || o_.code == SIGKILL)) || o_.code == 128 + SIGTERM)) {
            o_.how = ending::exited; // as we asked it to
            o_.code = 0;
        }
    }

    const launch_spec& spec_;
    watcher watcher_;
    observation o_;
    owned_fd input_;
    owned_fd output_;
    owned_fd errors_;
    std::optional<run_folder> folder_;
    bool is_decided_ = false; ///< `o_.how` is known, regardless of the program's exit status
    bool ended_early_ = false;
    std::string said_; ///< by the last shell command
    int client_status_ = 0;
    double client_wall_ns_ = 0;
};

} // namespace

observation launch(const launch_spec& spec, const interrupt_guard& guard, const std::function<void()>& tick) {
    return run{spec, guard, tick}.take();
}

std::string prepare_run(const std::string& command, const interrupt_guard& guard,
                        const std::function<void()>& tick) {
    const launch_spec no_limits;
    supervisor shell{
        shell_command(command, child_environment({}), {}), "", {-1, STDERR_FILENO, STDERR_FILENO}};
    watcher watching{no_limits, guard, tick};
    const std::optional<ending> why = watching.wait({&shell}, clock::time_point::max(), {});
    shell.end_all();
    shell.wait();
    if (why) {
        return "interrupted";
    }
    const std::string& problem = shell.launcher_problem();
    if (problem.empty() && shell.report().status == 0) {
        return {};
    }
    return fmt::format("--prepare '{}': {}", command,
                       problem.empty() ? describe_status(shell.report().status) : problem);
}

} // namespace linn::tool
