// SPDX-License-Identifier: Apache-2.0
// capture() as a hook uses it: the same place is the same stack, a stack that is not defined stays new, and neither a signal, another
// thread nor a table that lies makes it wrong or faults. Handlers that jump out of it: tool.record.preload.longjmps.
#include "record/preload/unwind/capture.hpp"

#include "../reference.hpp"
#include "record/preload/unwind/cfi.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <vector>

namespace unwind = linn::tool::unwind;

namespace {

constexpr unsigned depth = 16;

thread_local unwind::thread_stacks mine;

struct result {
    unwind::captured captured;
    bool right; ///< as libgcc sees it; only known where the stack is new
};

/// A hook.
[[gnu::noinline]] result take() {
    const unwind::frame_start start = unwind::here();
    const unwind::captured captured = unwind::capture(mine, start);
    bool right = true;
    if (captured.is_new) {
        right = reference(start, depth).equals(captured.frames, captured.count);
    }
    return {captured, right};
}

[[gnu::noinline]] result take_below(int levels) {
    const result found = levels == 0 ? take() : take_below(levels - 1);
    asm volatile("");
    return found;
}

bool can_walk() {
    unwind::start(depth);
#if defined(__x86_64__)
    return true;
#else
    return false;
#endif
}

const auto where_it_can_walk = doctest::skip(!can_walk());

} // namespace

TEST_CASE("one place is one stack, new until it is defined" * where_it_can_walk) {
    std::uint32_t id = 0;
    errno = 77;
    for (int i = 0; i != 60; ++i) {
        const result found = take_below(3);
        REQUIRE(found.captured.id != 0);
        REQUIRE(found.right);
        REQUIRE(found.captured.is_new == (i < 31));
        id = i == 0 ? found.captured.id : id;
        REQUIRE(found.captured.id == id);
        if (i == 30) {
            unwind::defined(found.captured);
        }
    }
    CHECK(mine.misses < 40);
    CHECK(errno == 77); // which is the program's
}

TEST_CASE("a new recording knows no stack; a dlclose that unloads nothing changes nothing" *
          where_it_can_walk) {
    std::uint32_t first = 0;
    for (int i = 0; i != 3; ++i) {
        if (i == 1) {
            const unwind::unloading guard;
        } else {
            unwind::restart();
        }
        const result found = take();
        CHECK(found.captured.is_new == (i != 1));
        CHECK((i != 1 || found.captured.id == first));
        unwind::defined(found.captured);
        first = found.captured.id;
    }
}

TEST_CASE("while a file is being unloaded nothing is kept, and stacks are right" * where_it_can_walk) {
    for (int i = 0; i != 20; ++i) {
        unwind::defined(take().captured);
    }
    const std::uint64_t misses = mine.misses;
    {
        const unwind::unloading guard;
        for (int i = 0; i != 5; ++i) {
            CHECK(take().captured.id != 0);
        }
    }
    CHECK(mine.misses == misses + 5);
}

namespace {

struct place {
    std::uintptr_t inside;
    std::uintptr_t stack_pointer;
};

[[gnu::noinline]] std::uintptr_t return_address() {
    return reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
}

/// Somewhere in a function whose CFA is by rbp.
[[gnu::noinline]] place by_frame_pointer(std::size_t bytes) {
    auto* const space = static_cast<char*>(__builtin_alloca(bytes));
    asm volatile("" : : "r"(space) : "memory");
    return {return_address(), reinterpret_cast<std::uintptr_t>(space) & ~std::uintptr_t{7}};
}

} // namespace

TEST_CASE("a frame pointer that leads nowhere is not followed" * where_it_can_walk) {
    const place from = by_frame_pointer(64);
    for (const std::uintptr_t wrong : {std::uintptr_t{0}, std::uintptr_t{8}, ~std::uintptr_t{7},
                                       from.stack_pointer + (std::uintptr_t{1} << 44),
                                       from.stack_pointer - 4096, from.stack_pointer + 1}) {
        const unwind::frame_start start{from.inside, from.stack_pointer, wrong};
        std::atomic<std::uint64_t> readable{0};
        unwind::walk found;
        unwind::walk_stack(start, depth, nullptr, unwind::readable_pages{readable}, found);
        CHECK(found.frame_count == 1);
        CHECK(found.is_cut);
        CHECK(unwind::walk_and_keep(mine, start).is_cut);
    }
}

namespace {

thread_local unsigned long taken_by_handler = 0;
thread_local unsigned long wrong_in_handler = 0;

void handler(int) {
    const result found = take();
    wrong_in_handler += !found.right || found.captured.id == 0 ? 1u : 0u;
    ++taken_by_handler;
    if (found.captured.is_new) {
        unwind::defined(found.captured);
    }
}

} // namespace

TEST_CASE("a signal handler that interrupts a capture, thousands of times" * where_it_can_walk) {
    // What each depth is, before anything interrupts.
    std::vector<std::uint32_t> ids;
    for (int levels = 0; levels != 12; ++levels) {
        const result found = take_below(levels);
        unwind::defined(found.captured);
        ids.push_back(found.captured.id);
    }
    ids.resize(24);
    const auto before = std::signal(SIGALRM, handler);
    unsigned long wrong = 0;
    for (unsigned i = 0; i != 4'000; ++i) {
        // One signal at a time is asked for, so that a slow machine gets on too.
        itimerval once{};
        once.it_value.tv_usec = static_cast<suseconds_t>(1 + i * 7919 % 13);
        setitimer(ITIMER_REAL, &once, nullptr);
        for (unsigned j = 0; j != 8; ++j) {
            // Called from another place than above, so the stacks are new at first and then known.
            const unsigned levels = (i * 8 + j) % 12;
            const result found = take_below(static_cast<int>(levels));
            if (found.captured.is_new) {
                unwind::defined(found.captured);
                ids[12 + levels] = found.captured.id;
            }
            wrong += !found.right || found.captured.id != ids[12 + levels] ? 1u : 0u;
        }
    }
    const itimerval never{};
    setitimer(ITIMER_REAL, &never, nullptr);
    std::signal(SIGALRM, before);
    CHECK(taken_by_handler > 100);
    CHECK(wrong == 0);
    CHECK(wrong_in_handler == 0);
}
