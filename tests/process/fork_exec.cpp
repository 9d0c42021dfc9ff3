// SPDX-License-Identifier: Apache-2.0
// Promise: a program may start others, by vfork and exec and by posix_spawn, while its threads are busy in pools; and the
// child of a fork may fork again, with threads of its own at work.
//
// Breaks when a child that shares or copies the memory leaves a lock taken or a count wrong: what the threads hold is
// looked at afterwards, to the last object, and each new program uses pools itself.
#include "process.hpp"

#include <linn/linn.hpp>

#include <spawn.h>

extern "C" char** environ;

namespace {

struct item {
    std::size_t number;
    char bytes[40];
};

constexpr std::size_t each = 300; ///< objects that a thread holds

linn::recycler<item>& recycler() {
    static linn::recycler<item> all{64};
    return all;
}

/// Threads that change objects in all parts of the library until they are told to stop.
class team {
public:
    explicit team(std::size_t size) : held_(size, std::vector<item*>(each)) {
        for (std::size_t t = 0; t < size; ++t) {
            threads_.emplace_back([this, t] { work(t); });
        }
        wait_for(size);
    }

    /// Until somebody did as much again.
    void wait_for(std::size_t rounds) const {
        const std::size_t goal = rounds_ + rounds;
        linn_test::wait_until([&] { return rounds_ >= goal; });
    }

    ~team() {
        stop_ = true;
        linn_test::join_all(threads_);
        CHECK(linn::pool<item>::statistics().live == each * threads_.size());
        for (std::size_t t = 0; t < threads_.size(); ++t) {
            for (std::size_t i = 0; i < each; ++i) {
                CHECK(held_[t][i]->number == t * each + i);
                linn::pool<item>::destroy(held_[t][i]);
            }
        }
        CHECK(linn::pool<item>::statistics().live == 0);
        CHECK(recycler().live() == 0);
    }

private:
    void work(std::size_t t) {
        std::uint64_t random = t + 1;
        std::size_t made = 0;
        while (!stop_ || made < each) {
            random = random * 25214903917U + 11;
            const std::size_t i = made < each ? made++ : (random >> 20) % each;
            linn::pool<item>::destroy(held_[t][i]);
            held_[t][i] = linn::pool<item>::create();
            held_[t][i]->number = t * each + i;
            recycler().acquire()->number = i;
            linn::default_pool_resource()->deallocate(linn::default_pool_resource()->allocate(i), i);
            if (random % 1024 == 0) {
                linn::pool<item>::trim();
            }
            if (i % 16 == 0) {
                rounds_.fetch_add(1, std::memory_order_relaxed);
            }
        }
    }

    std::vector<std::vector<item*>> held_;
    std::atomic<std::size_t> rounds_{0};
    std::atomic<bool> stop_{false};
    std::vector<std::thread> threads_;
};

/// What a program does that was started.
int started() {
    std::vector<item*> all(1000);
    linn::pool<item>::allocate_n(all);
    linn::pool<item>::deallocate_n(all);
    CHECK(linn::pool<item>::statistics().live == 0);
    return 23;
}

void check_ended_well(::pid_t pid) {
    int status = 0;
    CHECK(::waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 23);
}

void start_others(const char* self) {
    char name[] = "started";
    char mode[] = "--started";
    char* arguments[] = {name, mode, nullptr};
    const team busy{3};
    for (int i = 0; i < 10; ++i) {
        busy.wait_for(20);
        ::pid_t pid = 0;
        CHECK(::posix_spawn(&pid, self, nullptr, nullptr, arguments, environ) == 0);
        check_ended_well(pid);
        busy.wait_for(20);
        pid = ::vfork();
        if (pid == 0) {
            ::execv(self, arguments);
            ::_exit(1);
        }
        CHECK(pid > 0);
        check_ended_well(pid);
    }
}

/// Uses what it inherited, starts threads where the tool knows them there, and goes on so in a child of its own.
void fork_down(int depth) {
    linn::pool<item>::trim();
    for (int i = 0; i < 100; ++i) {
        linn::pool<item>::destroy(linn::pool<item>::create());
        recycler().acquire().reset();
    }
    if (depth == 0) {
        return;
    }
    if constexpr (!linn_test::tsan && !linn_test::asan) {
        std::atomic<bool> stop{false};
        std::atomic<bool> at_work{false};
        std::thread here{[&] {
            while (!stop) {
                linn::pool<item>::destroy(linn::pool<item>::create());
                recycler().acquire().reset();
                linn::default_pool_resource()->deallocate(linn::default_pool_resource()->allocate(40), 40);
                at_work = true;
            }
        }};
        linn_test::wait_until(at_work);
        linn_test::check_forked([depth] { fork_down(depth - 1); });
        stop = true;
        here.join();
    } else {
        linn_test::check_forked([depth] { fork_down(depth - 1); });
    }
    linn::pool<item>::destroy(linn::pool<item>::create());
}

} // namespace

int main(int argc, char** argv) {
    if (argc == 2 && std::strcmp(argv[1], "--started") == 0) {
        return started();
    }
    start_others(argv[0]);
    {
        const team busy{3};
        for (int i = 0; i < 8; ++i) {
            busy.wait_for(10);
            linn_test::check_forked([] { fork_down(4); });
        }
    }
    recycler().trim();
    CHECK(linn::leak_report().empty());
}
