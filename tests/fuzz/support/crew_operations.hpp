// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_FUZZ_CREW_OPERATIONS_HPP
#define LINN_TESTS_FUZZ_CREW_OPERATIONS_HPP

#include "crew.hpp"
#include "input.hpp"

#include <cstddef>

namespace linn_fuzz {

/// The next operations on another thread. `State` has `threads`, `rest` and `is_elsewhere`, and a function run_some().
template <class State>
struct elsewhere {
    explicit elsewhere(input& in) : thread{in.below(crew::most)}, count{in.between(1, 32)} {}
    void perform(State& s) const {
        if (s.is_elsewhere) {
            return;
        }
        s.is_elsewhere = true;
        s.threads.run(thread, [&] { run_some(s, *s.rest, count); });
        s.is_elsewhere = false;
    }
    std::size_t thread;
    std::size_t count;
};

template <class State>
struct end_thread {
    explicit end_thread(input& in) : thread{in.below(crew::most)} {}
    void perform(State& s) const {
        if (!s.is_elsewhere) {
            s.threads.dismiss(thread);
        }
    }
    std::size_t thread;
};

} // namespace linn_fuzz

#endif
