// SPDX-License-Identifier: Apache-2.0
#include "compare_traces.hpp"

#include "../report/commands/compare_report.hpp"
#include "../report/progress.hpp"
#include "option_checks.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace linn::tool {
namespace {

constexpr std::string_view type_prefix = "type=";

/// A number that is all of the text.
std::optional<double> number_in(std::string_view text) {
    double value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || stop != text.data() + text.size() || !(value >= 0 && value <= 1e18)) {
        return std::nullopt;
    }
    return value;
}

/// Reads --per; returns what is wrong with it.
std::string read_unit(const std::string& text, work_unit& per) {
    if (text == "run") {
        return {};
    }
    if (text == "allocations") {
        per.what = work_unit::kind::allocations;
        return {};
    }
    if (text.starts_with(type_prefix) && text.size() > type_prefix.size()) {
        per.what = work_unit::kind::type;
        per.type = text.substr(type_prefix.size());
        return {};
    }
    const std::size_t colon = text.find(':');
    const std::optional<double> before = number_in(std::string_view{text}.substr(0, colon));
    const std::optional<double> after =
        colon == std::string::npos ? before : number_in(std::string_view{text}.substr(colon + 1));
    if (!before || !after || *before == 0 || *after == 0) {
        return fmt::format(
            "--per must be run, allocations, type=NAME, or the units of work in OLD and NEW such as "
            "1000:2000, not '{}'",
            text);
    }
    per.what = work_unit::kind::number;
    per.old_count = *before;
    per.new_count = *after;
    return {};
}

/// Reads --fail-over: a percentage, or a number of allocations and the like.
std::string read_limit(const std::string& text, growth_limits& limits) {
    constexpr std::string_view count_prefix = "count=";
    const bool is_count = text.starts_with(count_prefix);
    std::string_view digits = text;
    if (is_count) {
        digits.remove_prefix(count_prefix.size());
    } else if (digits.ends_with('%')) {
        digits.remove_suffix(1);
    }
    const std::optional<double> value = number_in(digits);
    if (!value) {
        return fmt::format(
            "--fail-over must be a percentage such as 5, or a number such as count=100, not '{}'", text);
    }
    (is_count ? limits.count : limits.share) = is_count ? *value : *value / 100;
    return {};
}

} // namespace

void trace_comparing::add() {
    add_value(*app_, "--measure", measure_, "WHAT",
              "allocations (default), bytes, temporary, live-blocks or live-bytes",
              one_of(profile_measure_names()));
    add_value(*app_, "--per", per_, "UNIT",
              "divide by the work: run (default), allocations, type=NAME, or OLD:NEW");
    add_value(*app_, "--fail-over", fail_over_, "LIMIT",
              "exit with 1 on growth over this percentage of the old total, or count=N");
    add_value(*app_, "--top", top_, "N", "rows of a table (default 10)", whole_number(1, 1'000'000));
    source_.add();
}

std::string trace_comparing::check() {
    const auto& names = profile_measure_names();
    options_.by =
        static_cast<profile_measure>(std::find(names.begin(), names.end(), measure_) - names.begin());
    if (std::string problem = read_unit(per_, options_.per); !problem.empty()) {
        return problem;
    }
    return fail_over_.empty() ? std::string{} : read_limit(fail_over_, options_.limits);
}

std::string trace_comparing::compare(const std::string& old_path, const std::string& new_path,
                                     double threshold) {
    options_.threshold = threshold;
    try {
        progress_line line;
        source_.open();
        const trace_profile old_trace = profile_trace(old_path, source_.names(), show_reading(line));
        const trace_profile new_trace = profile_trace(new_path, source_.names(), show_reading(line));
        result_ = compare_traces(old_trace, new_trace, options_);
    } catch (const unusable_trace& error) {
        return error.what();
    }
    return result_.problem;
}

std::string trace_comparing::json() const {
    return report::trace_compare_json(result_);
}

report::document trace_comparing::document() const {
    return report::trace_compare_document(result_, top_);
}

} // namespace linn::tool
