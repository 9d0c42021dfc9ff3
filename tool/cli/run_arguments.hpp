// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../run/run.hpp"

#include <string>

namespace CLI {
class App;
}

namespace linn::tool {

/// The options of how a program is measured, of `run` and `try`: rounds, time, input, CPUs, what counts as the same.
class run_arguments {
public:
    /// Fills in `options`, which must outlive it.
    run_arguments(CLI::App& app, run_options& options) : app_{app}, options_{options} {}
    run_arguments(const run_arguments&) = delete;
    run_arguments& operator=(const run_arguments&) = delete;

    /// Adds the options to the command. What `options` holds by then is what holds where the user says nothing.
    void add();

    /// Takes what was given over into the options of the run. @throws wrong_arguments
    void check();

private:
    void check_input();
    void check_cpus() const;

    CLI::App& app_;
    run_options& options_;
    std::string input_;
    std::string pin_;
    double precision_ = 0;
    unsigned budget_ = 0;
    unsigned timeout_ = 0;
};

} // namespace linn::tool
