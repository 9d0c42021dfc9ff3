// SPDX-License-Identifier: Apache-2.0
#include "measure/process.hpp"

#include "record/child_program.hpp"
#include "unit.hpp"

#include <csignal>

namespace linn::tool::process_tests {

using namespace std::chrono_literals;

child_result shell(const std::string& script, std::chrono::seconds timeout = 20s) {
    const interrupt_guard guard;
    return run_child({"/bin/sh", "-c", script}, child_environment({}), timeout, guard, [] {});
}

TEST_CASE("output, errors and status of a child come back") {
    const child_result r = shell("echo out; echo err >&2; exit 3");
    CHECK(r.how == child_result::ending::exited);
    CHECK(r.code == 3);
    CHECK(r.out == "out\n");
    CHECK(r.err == "err\n");
    CHECK(describe_ending(r, 1s) == "exit status 3 (err)");
}

TEST_CASE("a child that hangs is killed, also when it closed its output") {
    CHECK(shell("sleep 60", 1s).how == child_result::ending::timed_out);
    CHECK(shell("exec >&- 2>&-; sleep 60", 1s).how == child_result::ending::timed_out);
}

TEST_CASE("a flood on standard error is drained and cut") {
    const child_result r = shell("head -c 1000000 /dev/zero | tr '\\0' x >&2; echo done");
    CHECK(r.out == "done\n");
    CHECK(r.err.size() <= 8192);
}

TEST_CASE("variables for one child replace those of this process") {
    ::setenv("LINN_TEST_VARIABLE", "ours", 1);
    const auto list = child_environment({}, {"LINN_TEST_VARIABLE=theirs"});
    std::vector<std::string> found;
    for (const std::string& entry : list) {
        if (entry.starts_with("LINN_TEST_VARIABLE=")) {
            found.push_back(entry);
        }
    }
    CHECK(found == std::vector<std::string>{"LINN_TEST_VARIABLE=theirs"});
    ::unsetenv("LINN_TEST_VARIABLE");
}

// Ctrl-C goes to the whole group. Where the program ended by it first, the recorder had the signal still before it, and was
// killed by it when all was written: its exit status was not the program's.
TEST_CASE("a signal that comes after the program has ended does not end the recorder") {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
        CAPTURE(signal);
        {
            const signal_desk desk;
            ::raise(signal);
            ::raise(SIGUSR1); // and another
        }
        sigset_t pending;
        REQUIRE(::sigpending(&pending) == 0);
        CHECK(::sigismember(&pending, signal) == 0);
    }
}

} // namespace linn::tool::process_tests
