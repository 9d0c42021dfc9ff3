// SPDX-License-Identifier: Apache-2.0
// Promise: the child of a process with many threads may use pool resources and make others, start threads and fork again,
// wherever the resources of the threads that are gone lay: the child looks at no memory that a new thread may own, and has no
// block twice. What such a thread had cached counts as lost, not as live.
//
// Breaks when a lock is acquired that the fork handlers do not know (the child finds it taken), when a resource on the stack of a
// thread stays in the list of the child (the next thread overwrites it, and the list is garbage), and when a fork has the
// locks of a resource that another thread releases. Then a child hangs, and its alarm ends it, or it crashes.
#include "busy_threads.hpp"

#include <linn/linn.hpp>

#include <pthread.h>

#include <memory_resource>

namespace {

/// Threads of a child of a process with threads are not known to these.
constexpr bool child_starts_threads = !linn_test::asan && !linn_test::tsan;

void use(std::pmr::memory_resource& r) {
    std::array<void*, 10> all{};
    std::size_t bytes = 16;
    for (void*& p : all) {
        p = r.allocate(bytes);
        std::memset(p, 7, bytes);
        bytes *= 2;
    }
    bytes = 16;
    for (void* p : all) {
        r.deallocate(p, bytes);
        bytes *= 2;
    }
}

/// Writes where a thread before it may have had objects.
[[gnu::noinline]] void overwrite_stack(unsigned char with) {
    volatile unsigned char all[60'000];
    for (volatile unsigned char& byte : all) {
        byte = with;
    }
}

// A resource serves the process: no other one went before it, so nothing has joined on its behalf.
linn::pool_resource of_the_process;

/// What the child of any fork may do.
void live_on(int generations = 2) {
    use(of_the_process);
    of_the_process.trim();
    static_cast<void>(linn::statistics());
    {
        linn::pool_resource own;
        use(own);
        own.release();
        use(own);
    }
    if constexpr (child_starts_threads) {
        for (const unsigned char with : {static_cast<unsigned char>(0), static_cast<unsigned char>(0x5a)}) {
            std::thread{[with] { overwrite_stack(with); }}.join();
            std::thread{[] {
                linn::pool_resource at_the_same_place;
                use(at_the_same_place);
                use(of_the_process);
                static_cast<void>(linn::statistics());
            }}.join();
        }
    }
    if (generations > 1) {
        linn_test::check_forked([generations] { live_on(generations - 1); });
    }
}

/// Runs `work(turn)` in threads while the process forks.
template <class Work>
void fork_during(std::size_t forks, Work work, void (*in_the_child)() = [] { live_on(); }) {
    linn_test::busy_threads threads;
    for (std::size_t t = 0; t < 3; ++t) {
        threads.start([&, t] {
            for (std::size_t i = t; threads.goes_on(); ++i) {
                work(i);
                threads.worked();
            }
        });
    }
    threads.fork(forks, forks / 20 + 3, 1, in_the_child);
}

/// The resource of a thread that waits, and all that it got from an upstream, are on its stack.
void stacks_that_are_gone() {
    const auto within = [](auto serve) { linn_test::check_forked_within(serve, [] { live_on(3); }); };
    within([](auto&& wait) {
        linn::pool_resource on_the_stack;
        use(on_the_stack);
        wait();
        use(on_the_stack);
    });
    within([](auto&& wait) {
        alignas(64) std::byte memory[400'000];
        std::pmr::monotonic_buffer_resource upstream{memory, sizeof memory, std::pmr::null_memory_resource()};
        linn::pool_resource r{linn::pool_resource_options{.largest_pooled_bytes = 8192, .slab_bytes = 4096},
                              &upstream};
        r.deallocate(r.allocate(100), 100);
        wait();
        r.deallocate(r.allocate(100), 100);
    });
    within([](auto&& wait) { // the object stays where it is, its memory does not
        alignas(64) std::byte memory[400'000];
        std::pmr::monotonic_buffer_resource upstream{memory, sizeof memory, std::pmr::null_memory_resource()};
        alignas(linn::pool_resource) static std::byte place[sizeof(linn::pool_resource)];
        auto* const r = ::new (static_cast<void*>(place)) linn::pool_resource{&upstream};
        r->deallocate(r->allocate(100), 100);
        wait();
        r->~pool_resource();
    });
    within([](auto&& wait) {
        thread_local linn::pool_resource of_the_thread;
        use(of_the_thread);
        wait();
    });
    within([](auto&& wait) {
        linn::recycler<std::vector<int>> recycler;
        linn::buffer_pool buffers{65536};
        linn::local_pool<int> local;
        local.destroy(local.create(1));
        recycler.acquire()->resize(100);
        static_cast<void>(buffers.acquire());
        wait();
    });
}

/// A child knows a static resource at once, and others from their next use on; what it has cached it may use.
void what_the_child_knows() {
    const auto row = [](std::size_t bytes) {
        std::size_t live = 0;
        for (const auto& s : linn::statistics()) {
            live += s.type == "linn::pool_resource" && s.object_bytes == bytes ? s.live : 0;
        }
        return live;
    };
    linn::pool_resource local;
    void* const mine = local.allocate(768);
    void* const of_all = of_the_process.allocate(768);
    const std::size_t expected = row(768);
    linn_test::check_forked([&] {
        if (linn_test::in_slabs()) {
            CHECK(row(768) == expected - 1);
            local.deallocate(local.allocate(768), 768);
            CHECK(row(768) == expected);
        }
        for (const auto& s : local.statistics()) {
            CHECK(s.live == (s.object_bytes == 768 || !linn_test::in_slabs() ? 1 : 0));
        }
        local.deallocate(mine, 768);
        of_the_process.deallocate(of_all, 768);
        CHECK(!linn_test::in_slabs() || row(768) == expected - 2);
    });
    local.deallocate(mine, 768);
    of_the_process.deallocate(of_all, 768);
}

linn::pool_resource of_two_generations;

/// A thread that used its cache without a lock since the first fork is gone after the second: nobody may inherit what it left.
void caches_of_two_generations() {
    if constexpr (child_starts_threads) {
        void* const warm = of_two_generations.allocate(64);
        of_two_generations.deallocate(warm, 64);
        linn_test::check_forked([] {
            void* const p = of_two_generations.allocate(64); // cached, or not any more
            std::thread{[p] {
                linn_test::check_forked([p] {
                    std::thread{[p] {
                        void* all[300];
                        for (void*& q : all) {
                            q = of_two_generations.allocate(64);
                            CHECK(q != p);
                        }
                        for (void* q : all) {
                            of_two_generations.deallocate(q, 64);
                        }
                        of_two_generations.deallocate(p, 64);
                    }}.join();
                    for (const auto& s : of_two_generations.statistics()) {
                        CHECK(s.live == 0);
                    }
                });
            }}.join();
            of_two_generations.deallocate(p, 64);
        });
    }
}

void what_is_lost_is_not_live() {
    linn::pool_resource r;
    linn_test::check_forked_beside([&] { use(r); },
                                   [&] {
                                       for (const auto& s : r.statistics()) {
                                           CHECK(s.live == 0);
                                       }
                                   });
}

linn::pool_resource that_is_trimmed;

/// What is in slabs again is not lost too: a trim in another thread gives back what it takes out of a cache at one moment.
void live_blocks_under_trims() {
    for (int i = 0; i < 2000; ++i) {
        static_cast<void>(that_is_trimmed.allocate(64));
    }
    const auto trim = [](std::size_t) {
        void* all[200];
        for (void*& p : all) {
            p = that_is_trimmed.allocate(64);
        }
        for (void* p : all) {
            that_is_trimmed.deallocate(p, 64);
        }
        that_is_trimmed.trim();
    };
    fork_during(500, trim, [] {
        for (const auto& s : that_is_trimmed.statistics()) {
            CHECK(s.object_bytes != 64 || s.live >= 2000);
        }
    });
}

linn::pool_resource of_handlers;

/// Handlers of the program may release a resource whose locks the fork has.
void handlers_that_release() {
    CHECK(::pthread_atfork([] { of_handlers.release(); }, nullptr,
                           [] {
                               use(of_handlers);
                               of_handlers.release();
                               linn::pool_resource r;
                               use(r);
                           }) == 0);
}

} // namespace

int main() {
    handlers_that_release(); // before those of the library: runs after these before a fork, and before them after it
    // Chunks that resources leave for the next one have a lock of their own. First of all: no resource has left any yet.
    fork_during(300, [](std::size_t) { of_the_process.trim(); }, [] { use(of_the_process); });
    use(of_handlers);
    linn_test::check_forked([] { live_on(1); });
    ::alarm(30 * linn_test::slowdown); // a lock that is never released
    std::thread{[] { use(of_handlers); }}.join();
    ::alarm(0);
    stacks_that_are_gone();
    what_the_child_knows();
    caches_of_two_generations();
    what_is_lost_is_not_live();
    live_blocks_under_trims();
    fork_during(25, [](std::size_t) { // made and destroyed in stacks
        linn::pool_resource r;
        use(r);
        r.trim();
    });
    fork_during(25, [](std::size_t i) { // released, while there are forks and statistics
        thread_local linn::pool_resource r;
        use(r);
        r.deallocate(r.allocate(100'000), 100'000);
        static_cast<void>(r.allocate(40));
        r.release();
        if (i % 8 == 0) {
            static_cast<void>(linn::statistics());
        }
    });
    fork_during(15, [](std::size_t i) { // everything else that registers itself
        linn::recycler<std::vector<int>> recycler{4};
        linn::buffer_pool buffers{8192};
        recycler.acquire()->resize(i % 100);
        static_cast<void>(buffers.acquire());
        recycler.trim();
        linn::pool<std::array<char, 72>>::destroy(linn::pool<std::array<char, 72>>::create());
        if (i % 16 == 0) {
            linn::pool<std::array<char, 72>>::trim();
            use(*linn::default_pool_resource());
        }
    });
    use(of_handlers);
}
