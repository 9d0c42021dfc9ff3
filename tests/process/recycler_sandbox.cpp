// SPDX-License-Identifier: Apache-2.0
// Promise: a recycler works where the system has no barrier for threads, and where a sandbox takes that
// call away after the recycler was made.
//
// Breaks when the error of membarrier is ignored, or the way without it is wrong: threads that release
// while the recycler ends then lose objects or destroy them twice.
#include "process.hpp"

#include <linn/recycler.hpp>

#if defined(__linux__) && defined(__x86_64__)
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

namespace {

std::atomic<int> alive{0};

struct item {
    item() { ++alive; }
    ~item() { --alive; }
};
using items = linn::recycler<item>;

/// From now on membarrier fails in this process, as in a container with a strict filter.
bool forbid_barriers() {
    ::sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0), // the number of the system call
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    ::sock_fprog program{static_cast<unsigned short>(sizeof rules / sizeof *rules), rules};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

void end_while_others_release(std::unique_ptr<items> all, int threads) {
    std::atomic<int> ready{0};
    std::vector<std::thread> team;
    for (int t = 0; t < threads; ++t) {
        std::vector<items::handle> handles;
        std::vector<std::shared_ptr<item>> shared;
        for (int i = 0; i < 40; ++i) {
            handles.push_back(all->acquire());
            shared.push_back(all->acquire_shared());
        }
        team.emplace_back([&ready, handles = std::move(handles), shared = std::move(shared)]() mutable {
            ++ready;
            handles.clear();
            shared.clear();
        });
    }
    linn_test::wait_until([&] { return ready == threads; });
    all.reset();
    linn_test::join_all(team);
    CHECK(alive == 0);
}

void without() {
    CHECK(forbid_barriers());
    CHECK(!linn::detail::enable_thread_barrier());
    for (int i = 0; i < 100; ++i) {
        end_while_others_release(std::make_unique<items>(100), 2);
    }
}

void lost_later() {
    auto all = std::make_unique<items>(100);
    all->acquire().reset();
    CHECK(forbid_barriers());
    errno = 17;
    CHECK(all->trim() == 1); // waits instead
    CHECK(errno == 17);
    end_while_others_release(std::move(all), 2);
}

} // namespace

int main() {
    if (!linn::detail::enable_thread_barrier()) {
        return linn_test::skip("membarrier is forbidden here already, so every other test tests this");
    }
    if (linn_test::run_child([] { std::_Exit(forbid_barriers() ? 0 : 3); }).exited_with(3)) {
        return linn_test::skip("seccomp filters are not available");
    }
    linn_test::run_child(&without).expect_success("no barrier");
    linn_test::run_child(&lost_later).expect_success("barrier lost later");
}
#else
int main() {
    return linn_test::skip("needs seccomp");
}
#endif
