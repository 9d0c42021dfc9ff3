// SPDX-License-Identifier: Apache-2.0
// How many events a second the analysis takes, on one core and without a file: events are made here, in batches as the
// reader gives them. A second pass makes the same events and throws them away; the difference is the analysis.
//
//     linn-bench-advise [MILLIONS OF EVENTS [LIVE BLOCKS]]
#include "analysis/accumulator.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace linn::tool;

constexpr std::size_t batch = 4096;

std::uint64_t next_random(std::uint64_t& state) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

event make(event_kind kind, std::uint64_t address, std::uint64_t bytes, std::uint32_t stack,
           std::uint32_t thread, std::uint64_t time) {
    event e;
    e.kind = kind;
    e.call =
        kind == event_kind::allocation ? allocation_call::operator_new : allocation_call::operator_delete;
    e.address = address;
    e.bytes = bytes;
    e.stack = stack;
    e.thread = thread;
    e.time = time;
    return e;
}

/// A ring of `live` blocks, each released when its turn comes again: what lists and queues do.
class churn {
public:
    churn(std::size_t live, bool is_random) : blocks_(live), is_random_{is_random} {}

    void fill(std::vector<event>& events) {
        events.clear();
        while (events.size() + 2 <= batch) {
            std::uint64_t& block = blocks_[is_random_ ? next_random(random_) % blocks_.size() : at_];
            at_ = at_ + 1 == blocks_.size() ? 0 : at_ + 1;
            const auto stack = static_cast<std::uint32_t>(1 + at_ % 40);
            const auto thread = static_cast<std::uint32_t>(at_ % 2);
            time_ += 25;
            if (block != 0) {
                events.push_back(make(event_kind::release, block, 0, 0, thread, time_));
            } else {
                block = 0x5555'0000'0000 + 48 * used_++; // the address comes back with the place
            }
            time_ += 25;
            events.push_back(make(event_kind::allocation, block, 32 + 8 * (stack % 8), stack, thread, time_));
        }
    }

private:
    std::vector<std::uint64_t> blocks_;
    bool is_random_;
    std::size_t at_ = 0;
    std::uint64_t used_ = 0;
    std::uint64_t time_ = 0;
    std::uint64_t random_ = 88'172'645'463'325'252U;
};

/// CPU seconds for so many events.
double seconds(std::uint64_t count, churn source, const std::function<void(std::span<const event>)>& take) {
    std::vector<event> events;
    events.reserve(batch);
    const std::clock_t begin = std::clock();
    for (std::uint64_t done = 0; done < count; done += events.size()) {
        source.fill(events);
        take(events);
    }
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

} // namespace

int main(int argc, char** argv) {
    const auto count = static_cast<std::uint64_t>((argc > 1 ? std::strtod(argv[1], nullptr) : 100) * 1e6);
    const std::size_t live = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
    if (argc > 2 && live != 0) { // one shape only: for Callgrind
        accumulator a;
        seconds(count, churn{live, false}, [&](std::span<const event> events) { a.take(events); });
        fmt::print("{}\n", a.finish({}).all.allocations);
        return 0;
    }
    for (const std::size_t blocks : {1'000U, 100'000U, 4'000'000U}) {
        for (const bool is_random : {false, true}) {
            accumulator a;
            std::uint64_t sum = 0; // so that the events are made
            const double with = seconds(count, churn{blocks, is_random},
                                        [&](std::span<const event> events) { a.take(events); });
            const double without =
                seconds(count, churn{blocks, is_random}, [&](std::span<const event> events) {
                    for (const event& e : events) {
                        sum += e.address;
                    }
                });
            const trace_analysis result = a.finish({});
            fmt::print("{:>8} live, {}: {:.2f} s for {:g} M events, {:.1f} ns an event, {:.0f} M events a "
                       "second{}\n",
                       blocks, is_random ? "random order  " : "one by one    ", with - without,
                       static_cast<double>(count) / 1e6, (with - without) * 1e9 / static_cast<double>(count),
                       static_cast<double>(count) / (with - without) / 1e6,
                       sum == 0 || result.unknown_releases != 0 ? " (wrong)" : "");
        }
    }
}
