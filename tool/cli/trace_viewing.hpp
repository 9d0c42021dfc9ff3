// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../analysis/accumulator.hpp"
#include "../profile/trace_view.hpp"
#include "../report/commands/trace_report.hpp"
#include "../report/document/document.hpp"
#include "given_trace.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace linn::tool {

/// The part of `linn trace` that names what was allocated, and looks at some of the blocks: --peak, --temporary, --leaks.
class trace_viewing {
public:
    explicit trace_viewing(CLI::App& app) : app_{&app}, source_{app} {}

    /// Adds the options.
    void add();
    /// What is wrong with them; empty: nothing.
    std::string check();

    block_filter filter() const noexcept { return filter_; }
    bool keeps_runtime() const noexcept { return keeps_runtime_; }
    /// Whether an option was given that only names use.
    bool names_sources() const;

    /// Why this analysis does not tell what the filter asks for: a sentence; empty: it does.
    std::string why_not(const trace_analysis& analysis) const;
    /// Names what it holds. @pre why_not() is empty, or only the filter `all` is looked at
    void take(const std::string& path, trace_analysis analysis);

    const trace_profile& profile() const noexcept { return *profile_; } ///< @pre take()
    symbolizer& symbols() noexcept { return source_.symbols(); }        ///< @pre take()

    /// The report of a filter. @pre take()
    std::string json() const;
    report::document document() const;
    /// What a page of the summary shows besides; nothing before take().
    std::optional<report::looked_at> allocated() const;

private:
    CLI::App* app_;
    symbol_source source_;
    bool is_peak_ = false;
    bool is_temporary_ = false;
    bool is_leaks_ = false;
    bool keeps_runtime_ = false;
    std::size_t top_ = 10;
    block_filter filter_ = block_filter::all;
    std::optional<trace_profile> profile_;
    trace_view view_;
};

} // namespace linn::tool
