// SPDX-License-Identifier: Apache-2.0
// Promise: a program may start others, by vfork and exec and by posix_spawn, while its threads are busy in pools.
//
// Breaks when a child that shares or copies the memory leaves a lock taken or a count wrong: what the threads hold is
// looked at afterwards, to the last object, and each new program uses pools itself.
#include "parts.hpp"

#include <spawn.h>

extern "C" char** environ;

namespace {

using namespace linn_test::parts;
using pool = linn::pool<item>;

/// What a program does that was started.
int started() {
    std::vector<item*> all(1000);
    pool::allocate_n(all);
    pool::deallocate_n(all);
    CHECK(pool::statistics().live == 0);
    return 23;
}

void check_ended_well(::pid_t pid) {
    int status = 0;
    CHECK(::waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 23);
}

} // namespace

int main(int argc, char** argv) {
    if (argc == 2 && std::strcmp(argv[1], "--started") == 0) {
        return started();
    }
    char name[] = "started";
    char mode[] = "--started";
    char* arguments[] = {name, mode, nullptr};
    linn_test::busy_threads threads;
    threads.start([&] { keep_busy<in_pool>(threads); });
    threads.start([&] { keep_busy<in_resource>(threads); });
    threads.start([&] { keep_busy<in_recycler>(threads); });
    for (int i = 0; i < 10; ++i) {
        threads.wait_for(300);
        ::pid_t pid = 0;
        CHECK(::posix_spawn(&pid, argv[0], nullptr, nullptr, arguments, environ) == 0);
        check_ended_well(pid);
        threads.wait_for(300);
        pid = ::vfork();
        if (pid == 0) {
            ::execv(argv[0], arguments);
            ::_exit(1);
        }
        CHECK(pid > 0);
        check_ended_well(pid);
    }
    threads.join();
    CHECK(in_recycler::all->live() == 0);
    CHECK(linn::leak_report().empty());
}
