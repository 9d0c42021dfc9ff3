// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../run/results.hpp"

#include <string>

namespace CLI {
class App;
}

namespace linn::tool {

/// The options of how a program is measured, of `run` and `try`: rounds, time, input, CPUs, what counts as the same.
class run_arguments {
public:
    /// Fills in `options`, which must outlive it. @param budget the default, in seconds
    run_arguments(CLI::App& verb, run_options& options, unsigned budget = 120)
        : verb_{verb},
          options_{options},
          budget_{budget} {}
    run_arguments(const run_arguments&) = delete;
    run_arguments& operator=(const run_arguments&) = delete;

    /// Adds the options to the verb.
    void add();

    /// Takes what was given over into the options of the run. Returns an empty string, or what is wrong.
    std::string check();

private:
    std::string check_input();
    std::string check_cpus() const;

    CLI::App& verb_;
    run_options& options_;
    std::string seed_;
    std::string input_;
    std::string pin_;
    double precision_ = 1;
    unsigned budget_;
    unsigned timeout_ = 0;
    bool not_compared_ = false;
};

} // namespace linn::tool
