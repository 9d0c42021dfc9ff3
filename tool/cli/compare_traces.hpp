// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../compare/trace_comparison.hpp"
#include "../report/document/document.hpp"
#include "given_trace.hpp"

#include <cstddef>
#include <string>

namespace CLI {
class App;
}

namespace linn::tool {

/// What `linn compare` does with two traces: its options, the reading, the result.
class trace_comparing {
public:
    explicit trace_comparing(CLI::App& app) : app_{&app}, source_{app} {}

    /// Adds the options, in the group that new options have.
    void add();

    /// What is wrong with the options; empty: nothing.
    std::string check();

    /// Reads and compares. Returns what is wrong with the files or options; empty: result() is whole.
    std::string compare(const std::string& old_path, const std::string& new_path, double threshold);

    const trace_comparison& result() const noexcept { return result_; }
    std::string json() const;
    report::document document() const;
    /// Growth beyond --fail-over.
    bool fails() const noexcept { return !result_.broken.empty(); }

private:
    CLI::App* app_;
    symbol_source source_;
    trace_comparison result_;
    trace_compare_options options_;
    std::string per_ = "run";
    std::string measure_ = "allocations";
    std::string fail_over_;
    std::size_t top_ = 10;
};

} // namespace linn::tool
