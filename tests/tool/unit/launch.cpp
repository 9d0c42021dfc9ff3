// SPDX-License-Identifier: Apache-2.0
// A measured run: what comes back, that nothing of the tool reaches the program, and that nothing of the program is
// left when launch returns.
#include "run/launch.hpp"

#include "programs.hpp"
#include "unit.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>

namespace linn::tool::launch_tests {

using namespace linn::tool::testing;
using namespace std::chrono_literals;
using ending = observation::ending;

std::size_t open_descriptors() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator{"/proc/self/fd"}) {
        ++count;
    }
    return count;
}

/// While it lives, temporary files lie in a folder that no other test knows.
class private_temporary_folder {
public:
    private_temporary_folder() : old_{std::getenv("TMPDIR") != nullptr ? std::getenv("TMPDIR") : "/tmp"} {
        ::setenv("TMPDIR", (folder_ / "").c_str(), 1);
    }
    private_temporary_folder(const private_temporary_folder&) = delete;
    private_temporary_folder& operator=(const private_temporary_folder&) = delete;
    ~private_temporary_folder() { ::setenv("TMPDIR", old_.c_str(), 1); }

    bool is_empty() const { return std::filesystem::is_empty(folder_ / ""); }

private:
    scratch_folder folder_;
    std::string old_;
};

TEST_CASE("status, output and errors of the program come back") {
    const observation o = run_victim({"say", "hello"});
    CHECK(o.how == ending::exited);
    CHECK(o.code == 0);
    CHECK(o.output == "out hello\n");
    CHECK(o.errors == "err hello\n");
    CHECK(o.left_behind == 0);
    CHECK(run_victim({"exit", "3"}).code == 3);
}

TEST_CASE("directory, environment and arguments are those of the spec") {
    const scratch_folder folder;
    launch_spec spec = spec_of("/bin/sh", {"-c", "pwd; echo $GIVEN${LD_PRELOAD#*probe.so}; echo \"$0\""});
    spec.arguments[0] = "another name";
    spec.environment = {"GIVEN=yes", "LD_PRELOAD=/nonexistent.so"};
    spec.directory = folder / "";
    const observation o = run(spec);
    CHECK(o.output == std::filesystem::canonical(folder / "").string() + "\nyes\nanother name\n");
    CHECK(o.errors == "");
}

TEST_CASE("a crash is named by its signal") {
    const observation o = run_victim({"crash"});
    CHECK(o.how == ending::signalled);
    CHECK(o.code == SIGSEGV);
    CHECK(describe_ending(o, {}).starts_with("killed by SIGSEGV"));
}

TEST_CASE("what cannot be started says why") {
    const observation missing = run(spec_of("/nonexistent/program", {}));
    CHECK(missing.how == ending::not_started);
    CHECK(describe_ending(missing, {}) == "could not start: No such file or directory");

    launch_spec spec = spec_of(victim(), {});
    spec.input = "/nonexistent/input";
    CHECK(describe_ending(run(spec), spec) ==
          "could not start: the input /nonexistent/input: No such file or directory");
    spec.input.clear();
    spec.directory = "/nonexistent";
    CHECK(describe_ending(run(spec), spec) ==
          "could not start: directory /nonexistent: No such file or directory");
    spec.directory.clear();
    for (const char* const list : {"100000", "0-", "x", "1-0", ","}) {
        spec.cpus = list;
        const observation o = run(spec);
        CHECK(o.how == ending::not_started);
        CHECK(o.code == EINVAL);
    }
}

TEST_CASE("a process left behind is counted and ended, also in a session of its own") {
    const scratch_folder folder;
    for (const char* const how : {"child", "session", "daemon"}) {
        CAPTURE(how);
        const auto file = folder / how;
        const observation o = run_victim({how, file.string()});
        CHECK(o.how == ending::exited);
        CHECK(o.left_behind == 1);
        CHECK(std::filesystem::exists(file));
        CHECK_FALSE(runs(file));
    }
}

TEST_CASE("at the time limit everything ends, also what ignores SIGTERM and what is not in the session") {
    const scratch_folder folder;
    const auto file = folder / "pid";
    launch_spec spec = spec_of(victim(), {"stubborn_family", file.string()});
    spec.timeout = 500ms;
    const observation o = run(spec);
    CHECK(o.how == ending::timed_out);
    CHECK(describe_ending(o, spec) == "timed out after 0.5 s");
    if (std::filesystem::exists(file)) { // unless the machine was too slow for it to start
        CHECK_FALSE(runs(file));
    }
}

TEST_CASE("a flood is stopped at its limit") {
    launch_spec spec = spec_of(victim(), {"flood"});
    spec.most_output_bytes = 1 << 20;
    const observation o = run(spec);
    CHECK(o.how == ending::too_much_output);
    CHECK(describe_ending(o, spec) == "wrote more than 1 MiB");
}

TEST_CASE("a program that stops for a terminal is ended and named") {
    CHECK(run_victim({"stop"}).how == ending::wants_terminal);
    CHECK(run_victim({"tty"}).code == 4); // there is none to open
}

TEST_CASE("an interrupt ends everything") {
    const scratch_folder folder;
    const auto file = folder / "pid";
    const interrupt_guard guard;
    const auto interrupt_when_started = [&] {
        if (std::filesystem::exists(file)) {
            ::raise(SIGINT);
        }
    };
    const observation o =
        launch(spec_of(victim(), {"stubborn_family", file.string()}), guard, interrupt_when_started);
    CHECK(o.how == ending::interrupted);
    CHECK(interrupt_guard::pending() == SIGINT);
    CHECK_FALSE(runs(file));
}

TEST_CASE("when the tool is killed, the program goes too") {
    const scratch_folder folder;
    const auto file = folder / "pid";
    const pid_t tool = ::fork();
    if (tool == 0) {
        const interrupt_guard guard;
        launch(spec_of(victim(), {"hang", file.string()}), guard, [] {});
        ::_exit(0);
    }
    while (!std::filesystem::exists(file)) {
        ::usleep(2000);
    }
    ::kill(tool, SIGKILL);
    ::waitpid(tool, nullptr, 0);
    while (runs(file)) { // the limit is ctest's
        ::usleep(2000);
    }
}

TEST_CASE("descriptors, signals and terminal of the tool do not reach the program") {
    const int leaked = ::open("/dev/null", O_RDONLY);
    const interrupt_guard guard; // blocks signals
    const auto output_of = [&](const char* mode) {
        return launch(spec_of(victim(), {mode}), guard, [] {}).output;
    };
    CHECK(output_of("descriptors") == "0 1 2 \n");
    const std::string signals = output_of("signals");
    CHECK(signals.find("SigBlk:\t0000000000000000") != std::string::npos);
    CHECK(signals.find("SigIgn:\t0000000000000000") != std::string::npos);
    CHECK(output_of("session_of") == "0 0\n");
    ::close(leaked);
}

TEST_CASE("peak memory is the program's, not the tool's") {
    std::vector<char> ballast(std::size_t{64} << 20, 'x');
    const double small = run_victim({"exit", "0"}).values.at("peak_rss_bytes");
    CHECK(small > 0);
    CHECK(small < 8 << 20);
    const double large = run_victim({"touch", "50"}).values.at("peak_rss_bytes");
    CHECK(large > 50 << 20);
    CHECK(large < 60 << 20);
    CHECK(ballast.back() == 'x');
}

TEST_CASE("every resource is reported, of the whole family") {
    const observation one = run_victim({"touch", "50"});
    for (const char* const name : {"wall_ns", "user_ns", "sys_ns", "peak_rss_bytes", "minor_faults",
                                   "major_faults", "voluntary_switches", "involuntary_switches"}) {
        CHECK(one.values.count(name) == 1);
    }
    CHECK(one.values.at("wall_ns") > 0);
    CHECK(one.values.at("minor_faults") > 50 * 256 * 0.9);
    // Each of 200 children touches 16 pages of its own.
    CHECK(run_victim({"fork", "200"}).values.at("minor_faults") > 200 * 16);
}

TEST_CASE("a program is kept on the CPUs asked for") {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    REQUIRE(::sched_getaffinity(0, sizeof allowed, &allowed) == 0);
    std::size_t cpu = 0;
    while (!CPU_ISSET(cpu, &allowed)) {
        ++cpu;
    }
    launch_spec spec = spec_of("/bin/sh", {"-c", "grep Cpus_allowed_list /proc/self/status"});
    spec.cpus = std::to_string(cpu);
    CHECK(run(spec).output == "Cpus_allowed_list:\t" + spec.cpus + "\n");
}

TEST_CASE("three hundred runs leave no process, no descriptor and no file") {
    const std::size_t descriptors = open_descriptors();
    const private_temporary_folder temporary;
    const launch_spec spec = spec_of(victim(), {"exit", "0"});
    for (int i = 0; i != 300; ++i) {
        REQUIRE(run(spec).how == ending::exited);
    }
    CHECK(open_descriptors() == descriptors);
    CHECK(temporary.is_empty());
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
    CHECK(errno == ECHILD);
}

TEST_CASE("the last lines are clean text, as many as asked for") {
    const char* const output = "one\ntwo\033[2J\nthree\n\n";
    CHECK(tail(output, 2) == "two[2J\nthree");
    CHECK(tail(output, 10) == "one\ntwo[2J\nthree");
    CHECK(tail(output, 10, 5) == "three");
    CHECK(tail(output, 0) == "");
    CHECK(tail("", 3) == "");
}

} // namespace linn::tool::launch_tests
