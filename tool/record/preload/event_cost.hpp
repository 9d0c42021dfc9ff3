// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace linn::tool::preload {

struct thread_state;

/// What recording costs, by the clock, of a sample of a thread's events: one in 64, at random distances, so that no loop of
/// the program keeps step with it. All zero at first.
struct event_cost {
    std::int32_t until_sample; ///< events; 0 and less: now
    std::uint32_t random;      ///< state of the generator of distances; 0: not seeded
    std::uint64_t clock_ticks; ///< that reading the clock took, just before the sample
    std::uint64_t ticks;       ///< of samples that are not in the ring's header yet
    std::uint32_t samples;     ///< the same
    std::uint32_t told;        ///< samples that are in it
};

/// The clock at the begin of a sample; 0 where there is none after all.
std::uint64_t begin_sample(event_cost& cost) noexcept;
void end_sample(event_cost& cost, std::uint64_t begun) noexcept;

/// What the thread has measured, added to the ring's header.
void tell_cost(event_cost& cost) noexcept;

/// At the beginning of an event: not 0 if it is measured; then call end_sample() at its end.
[[gnu::always_inline]] inline std::uint64_t measure(event_cost& cost) noexcept {
    return --cost.until_sample > 0 ? 0 : begin_sample(cost);
}
[[gnu::always_inline]] inline void measured(event_cost& cost, std::uint64_t begun) noexcept {
    if (begun != 0) [[unlikely]] {
        end_sample(cost, begun);
    }
}

} // namespace linn::tool::preload
