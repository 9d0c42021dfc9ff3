// SPDX-License-Identifier: Apache-2.0
#include "launch.hpp"

#include "../measure/files.hpp"
#include "../measure/process.hpp"
#include "observation.hpp"
#include "supervisor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <optional>

namespace linn::tool {
namespace {

namespace fs = std::filesystem;
using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using ending = observation::ending;

constexpr milliseconds look_interval{50};
constexpr milliseconds tick_interval{200};
constexpr milliseconds ready_interval{20};
constexpr milliseconds ready_attempt{10'000};
constexpr milliseconds end_grace{1'000};   ///< that a client has to end after its server
constexpr milliseconds polite_end{10'000}; ///< that a server has to end after SIGTERM

owned_fd memory_file(const char* name) {
    return owned_fd{::memfd_create(name, MFD_CLOEXEC)};
}

/// A command for a shell, all of whose output goes to one place.
supervised_program shell_command(const std::string& command, const std::vector<std::string>& environment,
                                 int output) {
    supervised_program p;
    p.program = "/bin/sh";
    p.arguments = {"sh", "-c", command};
    p.environment = environment;
    p.output = p.errors = output;
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

/// Why waiting ended.
enum class wake { finished, time, interrupt, flood };

/// Waits for supervised programs and looks at what they write.
class watcher {
public:
    watcher(const launch_spec& spec, const interrupt_guard& guard, const std::function<void()>& tick)
        : spec_(spec),
          guard_(guard),
          tick_(tick),
          next_tick_(clock::now() + tick_interval) {}

    /// Until one of `programs` has finished, or `deadline`.
    wake wait(std::initializer_list<supervisor*> programs, clock::time_point deadline,
              std::initializer_list<const owned_fd*> files) {
        for (;;) {
            for (supervisor* const p : programs) {
                if (p->is_finished()) {
                    return wake::finished;
                }
            }
            if (interrupt_guard::pending() != 0) {
                return wake::interrupt;
            }
            for (const owned_fd* const f : files) {
                if (size_of(*f) > spec_.most_output_bytes) {
                    return wake::flood;
                }
            }
            const auto now = clock::now();
            if (now >= deadline) {
                return wake::time;
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
        supervisor program{describe_program()};
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

    supervised_program describe_program() {
        supervised_program p;
        p.program = fs::absolute(spec_.program);
        p.arguments = spec_.arguments;
        for (const std::string& variable : spec_.environment) {
            if (!variable.starts_with("LD_PRELOAD=") && !variable.starts_with("LINN_PROBE=") &&
                !variable.starts_with("LINN_LITTER=")) {
                p.environment.push_back(variable);
            }
        }
        if (!spec_.litter.empty()) {
            p.environment.push_back(fmt::format("{}={:0{}}:{}", probe::litter_variable, spec_.litter_seed,
                                                probe::seed_digits, spec_.litter.string()));
        }
        p.directory = spec_.directory;
        const std::string library = preloadable(spec_.library);
        for (const std::string& one : {preloadable(companion("liblinn-probe.so")), spec_.runtime, library,
                                       preloadable(spec_.behind)}) {
            p.preload += one.empty() || p.preload.empty() ? one : ":" + one;
        }
        p.environment.push_back(fmt::format("{}={:0{}}:{}:{}", probe::variable, 0, probe::pid_digits,
                                            folder_->records().string(), library));
        p.cpus = spec_.cpus;
        p.input = input_.get();
        p.output = output_.get();
        p.errors = errors_.get();
        return p;
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
        switch (watcher_.wait({&program}, clock::now() + spec_.timeout, {&output_, &errors_})) {
        case wake::finished:
            return;
        case wake::time:
            end_with(ending::timed_out);
            break;
        case wake::interrupt:
            end_with(ending::interrupted);
            break;
        case wake::flood:
            end_with(ending::too_much_output);
            break;
        }
        program.end_all();
    }

    enum class shell_end { succeeded, failed, out_of_time, program_ended, stopped };

    /// Runs a shell command while the server runs.
    shell_end run_shell(supervisor& program, const std::string& command, clock::time_point deadline) {
        const owned_fd said = memory_file("linn-client");
        supervised_program p = shell_command(command, spec_.environment, said.get());
        p.directory = spec_.directory;
        supervisor shell{p};
        wake why = watcher_.wait({&program, &shell}, deadline, {&output_, &errors_, &said});
        if (why == wake::finished && !shell.is_finished()) { // a client may end the server as its last act
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
        if (why == wake::interrupt || why == wake::flood) {
            end_with(why == wake::interrupt ? ending::interrupted : ending::too_much_output);
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
        const std::pair<const char*, std::uint64_t> values[] = {
            {"wall_ns", r.wall_ns},
            {"user_ns", r.user_ns},
            {"sys_ns", r.sys_ns},
            {"peak_rss_bytes", r.peak_rss_bytes},
            {"minor_faults", r.minor_faults},
            {"major_faults", r.major_faults},
            {"voluntary_switches", r.voluntary_switches},
            {"involuntary_switches", r.involuntary_switches},
        };
        for (const auto& [name, value] : values) {
            o_.values[name] = static_cast<double>(value);
        }
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
        if (r.stopped_by != 0) {
            o_.how = ending::wants_terminal;
            o_.code = r.stopped_by;
        } else if (ended_early_) {
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

std::string run_shell_command(const std::string& command, const interrupt_guard& guard,
                              const std::function<void()>& tick) {
    const launch_spec no_limits;
    supervisor shell{shell_command(command, child_environment({}), STDERR_FILENO)};
    watcher watching{no_limits, guard, tick};
    const wake why = watching.wait({&shell}, clock::time_point::max(), {});
    shell.end_all();
    shell.wait();
    if (why == wake::interrupt) {
        return "interrupted";
    }
    if (!shell.launcher_problem().empty()) {
        return shell.launcher_problem();
    }
    if (shell.report().stopped_by != 0) {
        return "it needs a terminal, and there is none";
    }
    return shell.report().status == 0 ? std::string{} : describe_status(shell.report().status);
}

void set_variable(std::vector<std::string>& environment, const std::string& variable) {
    const std::string name = variable.substr(0, variable.find('=') + 1);
    std::erase_if(environment, [&](const std::string& e) { return e.starts_with(name); });
    environment.push_back(variable);
}

std::string describe_ending(const observation& o, const launch_spec& spec) {
    const std::string more = o.detail.empty() ? std::string{} : fmt::format(": {}", o.detail);
    switch (o.how) {
    case ending::exited:
        return fmt::format("exit status {}{}", o.code, more);
    case ending::signalled:
        return fmt::format("killed by {}{}{}", signal_name(o.code), o.core_dumped ? " (core dumped)" : "",
                           more);
    case ending::timed_out:
        return fmt::format("timed out after {:g} s", std::chrono::duration<double>(spec.timeout).count());
    case ending::interrupted:
        return "interrupted";
    case ending::not_started:
        return fmt::format("could not start: {}{}", o.detail.empty() ? "" : o.detail + ": ",
                           std::strerror(o.code));
    case ending::too_much_output:
        return fmt::format("wrote more than {} MiB", spec.most_output_bytes >> 20);
    case ending::wants_terminal:
        return "stopped, because it needs a terminal, and there is none";
    case ending::never_ready:
        return o.code != 0 ? o.detail
                           : fmt::format("was not ready in {:g} s{}",
                                         std::chrono::duration<double>(spec.timeout).count(), more);
    case ending::client_failed:
        return fmt::format("its client failed with exit status {}{}", o.code, more);
    }
    return {};
}

} // namespace linn::tool
