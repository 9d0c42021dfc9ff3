// SPDX-License-Identifier: Apache-2.0
// With how many threads do the locks of the library end a program? Runs the programs of `linn bench threads` on this machine's
// cores over locks that read the clock, and replays the visits that were seen for 4 to 256 threads. What is assumed stands at
// `simulate`, and is printed.
#include "bench/worker/programs.hpp"
#include "queueing.hpp"
#include "timed_memory.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <mutex>
#include <string>

namespace linn::bench::saturation {
namespace {

using namespace linn::tool::worker;

/// Room for the visits of each thread that comes.
struct rooms {
    static constexpr std::size_t most_visits = 20'000;
    static inline std::mutex lock;
    static inline std::vector<std::vector<lock_visit>> lists;

    static void open(visit_list& own) {
        const std::lock_guard guard{lock};
        if (lists.size() == lists.capacity()) {
            return;
        }
        std::vector<lock_visit>& list = lists.emplace_back(most_visits);
        own.next = list.data();
        own.end = list.data() + list.size();
    }
};

struct subject {
    const char* name;
    program pool;
    program resource;
};

template <class Program>
subject subject_of(const char* name) {
    return {name, &Program::template run<timed_pool_memory>, &Program::template run<timed_resource_memory>};
}

/// What the threads of one run did, without those that hardly visited a lock.
recording record(program run, const work_plan& plan) {
    constexpr std::size_t most_threads = 256; // those of programs whose threads come and go
    rooms::lists.clear();
    rooms::lists.reserve(most_threads);
    lock_watch::give_room = &rooms::open;
    run(plan);
    lock_watch::give_room = nullptr;
    lock_watch::visits_of_thread =
        {}; // of the main thread, which stays while its list goes; the others have ended
    const double ns_a_tick = 1 / linn::tool::ticks_per_ns();
    recording all;
    for (const std::vector<lock_visit>& list : rooms::lists) {
        std::vector<visit> sequence;
        for (const lock_visit& v : list) {
            // A thread that lost its CPU at work did not work; the first visit has nothing before it.
            if (v.held == 0 || v.think == 0 || v.think > lock_watch::most_held * 10) {
                continue;
            }
            const double held = static_cast<double>(v.held) - lock_watch::cost;
            sequence.push_back(
                {v.lock, static_cast<double>(v.think) * ns_a_tick, (held > 0 ? held : 0) * ns_a_tick});
        }
        constexpr std::size_t few = 8;
        if (sequence.size() >= few) {
            all.push_back(std::move(sequence));
        }
    }
    return all;
}

constexpr std::size_t counts[] = {4, 8, 16, 32, 64, 128, 256};

void print_row(const char* name, const recording& recorded, std::size_t visits, const machine& m) {
    std::string line = fmt::format("{:<15}", name);
    std::size_t saturated = 0;
    for (const std::size_t threads : counts) {
        if (recorded.empty()) {
            break;
        }
        const estimate e = simulate(recorded, threads, visits, m);
        line += fmt::format("{:>6.1f}", e.speed);
        constexpr double always = 0.95;
        if (saturated == 0 && e.busiest >= always) {
            saturated = threads;
        }
    }
    fmt::print("{}  {}\n", line,
               recorded.empty() ? "too few visits to replay"
               : saturated == 0 ? "no"
                                : fmt::format("at {}", saturated));
}

} // namespace
} // namespace linn::bench::saturation

int main(int argc, char** argv) {
    using namespace linn::bench::saturation;
    CLI::App app{"Replays the visits of Linn's locks for 4 to 256 threads"};
    bool quick = false;
    machine m{100};
    app.add_flag("--quick", quick, "a twentieth of the work: shows that it runs");
    app.add_option("--hand-over", m.hand_over_ns,
                   "nanoseconds that a lock's line takes to another core (default 100)")
        ->check(CLI::NonNegativeNumber);
    CLI11_PARSE(app, argc, argv);

    lock_watch::calibrate();
    const unsigned threads = std::max(2u, usable_cpus());
    const subject subjects[] = {
        subject_of<larson>("larson"),         subject_of<mstress>("mstress"),
        subject_of<rptest>("rptest"),         subject_of<xmalloc_test>("xmalloc-test"),
        subject_of<sh6bench>("sh6bench"),     subject_of<sh8bench>("sh8bench"),
        subject_of<alloc_test>("alloc-test"), subject_of<glibc_thread>("glibc-thread")};
    fmt::print("Speed by that of one thread, by the locks alone. Recorded with {} threads; assumed: a core "
               "for each thread,\n"
               "{} ns for a lock that another thread had last, work and holding as long as recorded, locks "
               "in the order of\n"
               "arrival, and no wait for memory or lines but that. \"saturated\": a lock is held 95 % of the "
               "time.\n",
               threads, m.hand_over_ns);
    for (const bool resource : {false, true}) {
        std::string head = fmt::format("\n{:<15}", resource ? "pool_resource" : "pool");
        for (const std::size_t n : counts) {
            head += fmt::format("{:>6}", n);
        }
        fmt::print("{}  saturated\n", head);
        for (const subject& s : subjects) {
            const work_plan plan{threads, quick ? 50'000u : 1'000'000u};
            print_row(s.name, record(resource ? s.resource : s.pool, plan), quick ? 200 : 2'000, m);
        }
    }
    return 0;
}
