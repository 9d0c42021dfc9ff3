// SPDX-License-Identifier: Apache-2.0
// What it costs to say which stack a hook was called with: by the recorder's cache, by its walker and by libgcc, in
// turns. Nanoseconds a stack, minimum and median.
//
//     linn-bench-capture [ROUNDS]
#include "record/preload/unwind/capture.hpp"

#include <unwind.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

namespace unwind = linn::tool::unwind;

namespace {

constexpr unsigned depth = 16;

enum way : unsigned { nothing, cache, walker, libgcc, way_count };
constexpr const char* names[] = {"nothing (the call alone)", "cache, verified", "walker, rules known",
                                 "libgcc's _Unwind_Backtrace"};

unwind::thread_stacks with_cache;
unwind::thread_stacks without_cache;
way chosen = nothing;
std::uint64_t sum = 0;

struct trace {
    unsigned count;
    std::uintptr_t frames[depth];
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
    auto& to = *static_cast<trace*>(argument);
    to.frames[to.count++] = _Unwind_GetIP(context);
    return to.count == depth ? _URC_END_OF_STACK : _URC_NO_REASON;
}

[[gnu::noinline]] void hook() {
    const unwind::frame_start start = unwind::here();
    switch (chosen) {
    case cache:
    case walker: {
        const unwind::captured stack = unwind::capture(chosen == cache ? with_cache : without_cache, start);
        if (stack.is_new) {
            unwind::defined(stack);
        }
        sum += stack.id;
        break;
    }
    case libgcc: {
        trace found{};
        _Unwind_Backtrace(visit, &found);
        sum += found.count;
        break;
    }
    default:
        sum += start.return_address;
    }
}

/// Several ways to the hook, some with a frame pointer.
[[gnu::noinline]] void descend(unsigned levels, unsigned path) {
    if (levels == 0) {
        hook();
    } else if ((path & 1) != 0) {
        auto* const space = static_cast<char*>(__builtin_alloca(64 + (path & 2) * 32));
        asm volatile("" : : "r"(space) : "memory");
        descend(levels - 1, path >> 1);
        asm volatile("" : : "r"(space) : "memory");
    } else {
        descend(levels - 1, path >> 1);
    }
    asm volatile("");
}

/// Of this thread, in nanoseconds: passes are short, so that the best of many was not interrupted.
double cpu_time() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

double measure(way which, unsigned levels, unsigned captures) {
    chosen = which;
    const auto pass = [&](unsigned count) {
        for (unsigned i = 0; i != count; ++i) {
            descend(levels, i * 2654435761u >> 28);
        }
    };
    pass(100);
    const double begin = cpu_time();
    pass(captures);
    return (cpu_time() - begin) / captures;
}

} // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 200;
    unwind::start(depth);
    unwind::release(without_cache);
    for (const unsigned levels : {4u, 12u, 30u}) {
        std::array<std::vector<double>, way_count> samples;
        for (int round = 0; round != rounds; ++round) {
            for (unsigned which = 0; which != way_count; ++which) {
                const unsigned captures = which == libgcc ? 200 : 2'000;
                samples[which].push_back(measure(static_cast<way>(which), levels, captures));
            }
        }
        std::printf("%u calls deep, %u frames at most: ns a stack\n", levels, depth);
        for (unsigned which = 0; which != way_count; ++which) {
            auto& row = samples[which];
            std::sort(row.begin(), row.end());
            std::printf("  %-28s %8.1f %8.1f\n", names[which], row.front(), row[row.size() / 2]);
        }
    }
    std::printf("cache: %llu misses\n", static_cast<unsigned long long>(with_cache.misses));
    return sum == 1 ? 1 : 0;
}
