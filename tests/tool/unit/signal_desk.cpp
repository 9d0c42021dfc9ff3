// SPDX-License-Identifier: Apache-2.0
// Ctrl-C goes to the whole group. Where the program ended by it first, the recorder had the signal still before it, and was
// killed by it when all was written: its exit status was not the program's.
#include "record/child_program.hpp"
#include "unit.hpp"

#include <sched.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

namespace linn::tool::signal_desk_tests {

TEST_CASE("a signal that comes after the program has ended does not end the recorder") {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
        CAPTURE(signal);
        {
            const linn::tool::signal_desk desk;
            ::raise(signal);
            ::raise(SIGUSR1); // and another
        }
        sigset_t pending;
        REQUIRE(::sigpending(&pending) == 0);
        CHECK(::sigismember(&pending, signal) == 0);
    }
}

TEST_CASE("a program that waited for a processor alone is run again") {
    recorded_run run;
    run.end.wall_ns = 7e9;
    run.end.user_ns = 0.6e9;
    CHECK(why_not_again(run, input_kind::again) == "it waited most of the time");
    run.end.queued_ns = 6.3e9;
    CHECK(why_not_again(run, input_kind::again).empty());
}

TEST_CASE("two programs on one processor wait for each other") {
    if (::access("/proc/self/schedstat", R_OK) != 0) {
        return; // this kernel does not tell
    }
    cpu_set_t before;
    REQUIRE(::sched_getaffinity(0, sizeof before, &before) == 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &one);
    REQUIRE(::sched_setaffinity(0, sizeof one, &one) == 0);
    const signal_desk desk;
    const std::vector<std::string> loop{"sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done"};
    child_program first{desk};
    child_program second{desk};
    REQUIRE(first.start("/bin/sh", loop, {}).empty());
    REQUIRE(second.start("/bin/sh", loop, {}).empty());
    const program_end one_end = first.wait();
    const program_end other_end = second.wait();
    REQUIRE(::sched_setaffinity(0, sizeof before, &before) == 0);
    CHECK(one_end.exit_status == 0);
    CHECK(other_end.exit_status == 0);
    CHECK(one_end.queued_ns + other_end.queued_ns > 0.5 * (one_end.user_ns + other_end.user_ns) / 2);
}

} // namespace linn::tool::signal_desk_tests
