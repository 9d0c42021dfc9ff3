// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_FUZZ_CREW_HPP
#define LINN_TESTS_FUZZ_CREW_HPP

#include "input.hpp"
#include "worker.hpp"

#include <array>
#include <cstddef>
#include <memory>

namespace linn_fuzz {

/// Threads that work one at a time, when they are told: what happens depends on the input and on nothing else.
struct crew {
    static constexpr std::size_t most = 3;

    /// Ends thread `i`, if it runs.
    void dismiss(std::size_t i) { workers[i % most].reset(); }

    std::array<std::unique_ptr<linn_test::worker>, most> workers;
    bool at_work = false; ///< one of them is
};

/// The next operations on another thread. `State` has `threads`, and a function one() that performs an operation.
template <class State>
void elsewhere(State& s, input& in) {
    const std::size_t thread = in.below(crew::most);
    const std::size_t count = in.between(1, 32);
    if (s.threads.at_work) {
        return;
    }
    auto& worker = s.threads.workers[thread];
    if (worker == nullptr) {
        worker = std::make_unique<linn_test::worker>();
    }
    s.threads.at_work = true;
    worker->run_here([&] {
        for (std::size_t n = count; n != 0 && !in.empty(); --n) {
            one(s, in);
        }
    });
    s.threads.at_work = false;
}

template <class State>
void end_thread(State& s, input& in) {
    const std::size_t thread = in.below(crew::most);
    if (!s.threads.at_work) {
        s.threads.dismiss(thread);
    }
}

} // namespace linn_fuzz

#endif
