// SPDX-License-Identifier: Apache-2.0
#include "trace_viewing.hpp"

#include "../report/commands/trace_report.hpp"
#include "option_checks.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <utility>

namespace linn::tool {

void trace_viewing::add() {
    CLI::App& app = *app_;
    CLI::Option* const peak = app.add_flag(
        "--peak", is_peak_, "what was live when the program held the most bytes, by type, place and stack");
    CLI::Option* const temporary = app.add_flag(
        "--temporary", is_temporary_, "the allocations that the very next call of their thread released");
    CLI::Option* const leaks = app.add_flag("--leaks", is_leaks_, "the blocks that were never released");
    peak->excludes(temporary)->excludes(leaks);
    temporary->excludes(leaks);
    app.add_flag("--all-leaks", keeps_runtime_,
                 "with --leaks: also what the C and C++ runtime keeps on purpose")
        ->needs(leaks);
    add_value(app, "--top", top_, "N", "rows of a table (default 10)", whole_number(1, 1'000'000));
    source_.add();
}

std::string trace_viewing::check() {
    filter_ = is_peak_        ? block_filter::peak
              : is_temporary_ ? block_filter::temporary
              : is_leaks_     ? block_filter::leaks
                              : block_filter::all;
    return {};
}

bool trace_viewing::names_sources() const {
    return app_->count("--debug-dir") != 0 || app_->count("--debuginfod") != 0;
}

std::string trace_viewing::why_not(const trace_analysis& a) const {
    if (a.info.contents != "all") {
        return "holds only blocks that zeros were written into, without their releases: record the program "
               "again "
               "without --fills";
    }
    if (filter_ == block_filter::temporary && a.info.sample_bytes != 0) {
        return "is a sample, which does not tell what a thread did next: record the program again without "
               "--sample";
    }
    return {};
}

void trace_viewing::take(const std::string& path, trace_analysis analysis) {
    source_.open();
    profile_ = name_profile(path, std::move(analysis), source_.names());
    view_ = look_at(*profile_, filter_, keeps_runtime_);
}

std::string trace_viewing::json() const {
    return report::trace_view_json(*profile_, view_);
}

report::document trace_viewing::document() const {
    return report::trace_view_document(*profile_, view_, top_);
}

std::optional<report::looked_at> trace_viewing::allocated() const {
    if (!profile_) {
        return std::nullopt;
    }
    return report::looked_at{*profile_, view_};
}

} // namespace linn::tool
