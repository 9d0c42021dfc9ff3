// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../run/run.hpp"

#include <string>

namespace CLI {
class App;
}

namespace linn::tool {

/// What holds where the user says nothing.
struct run_defaults {
    unsigned budget = 120; ///< seconds
    std::size_t warm_up_rounds = 1;
};
/// Of a trial: the first run and the counting one warm the caches, and three parts share the budget.
inline constexpr run_defaults trial_defaults{180, 0};

/// The options of how a program is measured, of `run` and `try`: rounds, time, input, CPUs, what counts as the same.
class run_arguments {
public:
    /// Fills in `options`, which must outlive it.
    run_arguments(CLI::App& app, run_options& options, const run_defaults& defaults = {})
        : app_{app},
          options_{options},
          budget_{defaults.budget} {
        options_.warm_up_rounds = defaults.warm_up_rounds;
    }
    run_arguments(const run_arguments&) = delete;
    run_arguments& operator=(const run_arguments&) = delete;

    /// Adds the options to the command.
    void add();

    /// Takes what was given over into the options of the run. Returns an empty string, or what is wrong.
    std::string check();

private:
    std::string check_input();
    std::string check_cpus() const;

    CLI::App& app_;
    run_options& options_;
    std::string input_;
    std::string pin_;
    double precision_ = 1;
    unsigned budget_;
    unsigned timeout_ = 0;
};

} // namespace linn::tool
