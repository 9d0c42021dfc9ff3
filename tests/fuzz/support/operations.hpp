// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_FUZZ_OPERATIONS_HPP
#define LINN_TESTS_FUZZ_OPERATIONS_HPP

#include "expect.hpp"
#include "input.hpp"

#include <cstddef>
#include <cstdint>

/// One input: what libFuzzer calls, and the replay. Every target defines it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace linn_fuzz {

/// What a state can be asked to do, and how many times as likely as others. It reads all its arguments from the input first,
/// so that the rest of the input means the same in each state.
template <class State>
struct operation {
    void (*perform)(State&, input&);
    std::size_t weight = 1;
};

/// Performs the one that the next byte selects.
template <class State, std::size_t N>
void perform_one(const operation<State> (&all)[N], State& state, input& in) {
    std::size_t sum = 0;
    for (const operation<State>& each : all) {
        sum += each.weight;
    }
    std::size_t which = in.byte() % sum;
    const operation<State>* chosen = all;
    while (which >= chosen->weight) {
        which -= (chosen++)->weight;
    }
    ++operations_performed;
    chosen->perform(state, in);
}

/// Performs what the rest of the input says.
template <class State, std::size_t N>
void perform_all(const operation<State> (&all)[N], State& state, input& in) {
    while (!in.empty()) {
        perform_one(all, state, in);
    }
}

} // namespace linn_fuzz

#endif
