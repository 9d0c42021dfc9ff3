// SPDX-License-Identifier: Apache-2.0
// Promise: a child of a child of a child ... has what the first process has: its threads have numbers, and
// with them caches of resources and recyclers.
//
// Breaks when the numbers of threads that a fork leaves behind stay taken: after some generations none is left, and every call
// takes a lock. Each generation forks from another thread than the one that the process began with.
#include "process.hpp"

#include <linn/detail/sync/thread_exit.hpp>
#include <linn/linn.hpp>

namespace {

using table = linn::detail::thread_index_table<linn::detail::platform>;

constexpr int threads = 8;
constexpr int generations =
    static_cast<int>(2 * table::most) / threads; // each takes so many numbers: twice as many as there are

linn::pool_resource& resource() {
    return *linn::default_pool_resource();
}
linn::recycler<int>& objects() {
    static linn::recycler<int> all{10'000};
    return all;
}

/// Blocks of a few sizes, given back: the calling thread has them cached then.
void use() {
    void* blocks[64];
    for (std::size_t i = 0; i < 64; ++i) {
        blocks[i] = resource().allocate(16 + i * 8);
        *static_cast<std::size_t*>(blocks[i]) = i;
    }
    for (std::size_t i = 0; i < 64; ++i) {
        CHECK(*static_cast<std::size_t*>(blocks[i]) == i);
        resource().deallocate(blocks[i], 16 + i * 8);
    }
    std::vector<linn::recycler<int>::handle> handles;
    for (int i = 0; i < 10; ++i) {
        handles.push_back(objects().acquire());
    }
}

void check_caches() {
    CHECK(linn::detail::thread_index<linn::detail::platform>() < table::most);
    use();
    if (linn::detail::checked_build || linn::detail::sanitizer_bypass || linn_test::on_memcheck()) {
        return; // nobody caches there
    }
    std::size_t visits = 0;
    for (const auto& s : resource().statistics()) {
        visits += s.depot_visits;
    }
    use();
    for (const auto& s : resource().statistics()) {
        visits -= s.depot_visits;
    }
    CHECK(visits == 0); // all of it came from the cache
}

/// Starts threads, of which the last one forks while the others live, and its child is the next generation.
void generation(int number) {
    std::atomic<int> ready{0};
    std::atomic<bool> over{false};
    std::vector<std::thread> all;
    const auto body = [&](bool forks) {
        CHECK(linn::detail::thread_index<linn::detail::platform>() < table::most);
        use();
        ++ready;
        if (!forks) {
            over.wait(false);
            return;
        }
        linn_test::wait_until([&] { return ready == threads; });
        check_caches();
        if (number != generations) {
            std::fflush(nullptr);
            const ::pid_t pid = ::fork();
            CHECK(pid >= 0);
            if (pid == 0) {
                ::alarm(100 * linn_test::slowdown);
                check_caches();
                generation(number + 1);
                ::_exit(0);
            }
            over = true; // so many processes with eight threads each would be many
            over.notify_all();
            int status = 0;
            CHECK(::waitpid(pid, &status, 0) == pid);
            CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        }
        over = true;
        over.notify_all();
    };
    for (int i = 0; i < threads; ++i) {
        all.emplace_back(body, i == threads - 1);
    }
    linn_test::join_all(all);
}

} // namespace

int main() {
    if (linn_test::tsan) {
        return linn_test::skip("ThreadSanitizer starts no threads in the child of a process with threads");
    }
    use();
    generation(0);
}
