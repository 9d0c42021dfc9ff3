// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"

#include <algorithm>
#include <array>

namespace linn::tool {

std::span<const metric_info> metrics() noexcept {
    using unit = enum metric_info::unit;
    static constexpr std::array<metric_info, 14> list{{
        {"wall_ns", "wall time", unit::nanoseconds, true},
        {"cpu_ns", "CPU time", unit::nanoseconds, true},
        {"user_ns", "user time", unit::nanoseconds, false},
        {"sys_ns", "system time", unit::nanoseconds, false},
        {"peak_rss_bytes", "peak memory", unit::bytes, true},
        {"minor_faults", "minor page faults", unit::count, true},
        {"major_faults", "major page faults", unit::count, false},
        {"voluntary_switches", "voluntary context switches", unit::count, true},
        {"involuntary_switches", "involuntary context switches", unit::count, false},
        {"cycles", "CPU cycles", unit::count, false},
        {"instructions", "instructions", unit::count, false},
        {"cache_misses", "cache misses", unit::count, false},
        {"branch_misses", "branch misses", unit::count, false},
        {"dtlb_misses", "data TLB misses", unit::count, false},
    }};
    return list;
}

std::vector<double> run_row::values(std::string_view metric) const {
    std::vector<double> list;
    for (const run_sample& s : samples) {
        if (const auto found = s.values.find(std::string{metric}); found != s.values.end()) {
            list.push_back(found->second);
        }
    }
    return list;
}

const estimate* run_row::find_estimate(std::string_view metric) const {
    const auto found = estimates.find(std::string{metric});
    return found == estimates.end() ? nullptr : &found->second;
}

const run_row* run_result::find(std::string_view name) const noexcept {
    const auto found =
        std::find_if(rows.begin(), rows.end(), [&](const run_row& r) { return r.contender.name == name; });
    return found == rows.end() ? nullptr : &*found;
}

bool run_contender::is_default() const noexcept {
    return name == default_name;
}

bool run_contender::is_control() const noexcept {
    return name == default_again_name;
}

const char* to_string(verdict v) noexcept {
    switch (v) {
    case verdict::better:
        return "better";
    case verdict::worse:
        return "worse";
    case verdict::no_difference:
        return "no difference";
    case verdict::not_judged:
        return "not judged";
    }
    return "unknown";
}

const char* to_string(stop_reason reason) noexcept {
    switch (reason) {
    case stop_reason::precise:
        return "precise";
    case stop_reason::rounds:
        return "rounds";
    case stop_reason::budget:
        return "budget";
    case stop_reason::interrupted:
        return "interrupted";
    case stop_reason::nothing_to_compare:
        return "nothing to compare";
    }
    return "unknown";
}

const char* to_string(enum metric_info::unit unit) noexcept {
    switch (unit) {
    case metric_info::unit::nanoseconds:
        return "ns";
    case metric_info::unit::bytes:
        return "bytes";
    case metric_info::unit::count:
        return "count";
    }
    return "unknown";
}

} // namespace linn::tool
