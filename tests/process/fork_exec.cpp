// SPDX-License-Identifier: Apache-2.0
// Promise: a program may start others, by vfork and exec and by posix_spawn, while its threads are busy in pools.
//
// Breaks when a child that shares or copies the memory leaves a lock taken or a count wrong: what the threads hold is
// looked at afterwards, to the last object, and each new program uses pools itself.
#include "busy_threads.hpp"

#include <linn/linn.hpp>

#include <spawn.h>

extern "C" char** environ;

namespace {

struct item {
    std::size_t number;
    char bytes[40];
};
using pool = linn::pool<item>;

linn::recycler<item>& recycler() {
    static linn::recycler<item> all{64};
    return all;
}

/// Changes objects in all parts of the library.
void hammer(linn_test::busy_threads& threads, std::size_t t) {
    std::array<item*, 300> held{};
    std::uint64_t random = t + 1;
    while (threads.goes_on()) {
        random = random * 25214903917U + 11;
        const std::size_t i = (random >> 20) % held.size();
        pool::destroy(held[i]);
        held[i] = pool::create(item{t * 1000 + i, {}});
        recycler().acquire()->number = i;
        linn::default_pool_resource()->deallocate(linn::default_pool_resource()->allocate(i), i);
        if (random % 1024 == 0) {
            pool::trim();
        }
        threads.worked();
    }
    for (std::size_t i = 0; i < held.size(); ++i) {
        CHECK(held[i] == nullptr || held[i]->number == t * 1000 + i);
        pool::destroy(held[i]);
    }
}

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
    for (const std::size_t t : {1U, 2U, 3U}) {
        threads.start([&threads, t] { hammer(threads, t); });
    }
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
    CHECK(recycler().live() == 0);
    recycler().trim();
    CHECK(linn::leak_report().empty());
}
