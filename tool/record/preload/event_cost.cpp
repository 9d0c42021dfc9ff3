// SPDX-License-Identifier: Apache-2.0
#include "event_cost.hpp"

#include "../../interpose/raw.hpp"
#include "image.hpp"
#include "random_distance.hpp"
#include "thread.hpp"

namespace linn::tool::preload {
namespace {

constexpr std::uint32_t mean_distance = 64; // a power of two
/// A longer one was interrupted, or waited for the collector: that is no CPU time of the recorder.
constexpr double most_ns = 50'000;
/// Samples between two additions to what all threads share.
constexpr std::uint32_t batch = 16;

} // namespace

std::uint64_t begin_sample(event_cost& cost) noexcept {
    const std::uint64_t before = ticks();
    const bool is_first = cost.random == 0;
    if (is_first) {
        cost.random = seed_of(before);
    }
    cost.until_sample = random_distance(cost.random, mean_distance);
    // The thread's first event is one of all, and as likely to be measured as they are.
    if (is_first && --cost.until_sample != 0) {
        return 0;
    }
    if (is_first) {
        cost.until_sample = mean_distance;
    }
    const std::uint64_t start = ticks();
    const std::uint64_t now = ticks();
    cost.clock_ticks = now - start;
    return now;
}

void end_sample(event_cost& cost, std::uint64_t begun) noexcept {
    const std::uint64_t spent = ticks() - begun;
    const slow_section counted;
    if (!is_recording() ||
        static_cast<double>(spent) > most_ns * current_recording.ring.header().options.ticks_per_ns) {
        return;
    }
    cost.ticks += spent > cost.clock_ticks ? spent - cost.clock_ticks : 0;
    ++cost.samples;
    // Soon at first: a short program shall have told something.
    if (cost.samples >= batch || cost.samples >= cost.told) {
        tell_cost(cost);
    }
}

void tell_cost(event_cost& cost) noexcept {
    if (cost.samples == 0 || !is_recording()) {
        return;
    }
    wire::ring_header& header = current_recording.ring.header();
    header.cost_ticks.fetch_add(cost.ticks, std::memory_order_relaxed);
    header.cost_samples.fetch_add(cost.samples, std::memory_order_relaxed);
    cost.told += cost.samples;
    cost.samples = 0;
    cost.ticks = 0;
}

} // namespace linn::tool::preload
