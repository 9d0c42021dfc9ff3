// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/results.hpp"
#include "measure/statistics.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>

namespace linn::tool {

/// A result put together by hand: one tick is a nanosecond, and the samples of a row are alike.
struct fake_bench {
    bench_result result;

    scenario_result& add_scenario(std::string_view name) {
        result.machine.build = "optimised";
        return result.scenarios.emplace_back(scenario_result{find_scenario(name), {}});
    }

    /// A row of `cycles(phase)`; 0 is a phase that it lacks. `variant` is empty in scenarios without.
    row& add(scenario_result& s, const std::string& contender_name, std::string_view variant,
             const std::function<double(const phase_info&)>& cycles) {
        row r;
        r.contender = contender_of(contender_name);
        const auto& variants = s.what->variants;
        if (!variants.empty())
            r.variant = static_cast<std::size_t>(
                std::find_if(variants.begin(), variants.end(),
                             [&](const variant_info& v) { return v.name == variant; }) -
                variants.begin());
        sample one;
        for (const phase_info& p : s.what->phases)
            one.cycles.push_back(cycles(p));
        one.faults.assign(s.what->phases.size(), 0);
        one.metrics.resize(s.what->phases.size());
        r.samples.assign(rounds_to_judge, one);
        return s.rows.emplace_back(r);
    }
    row& add(scenario_result& s, const std::string& name, std::string_view variant, double cycles) {
        return add(s, name, variant, [cycles](const phase_info&) { return cycles; });
    }

    std::size_t contender_of(const std::string& name) {
        auto& list = result.contenders;
        for (std::size_t c = 0; c != list.size(); ++c)
            if (list[c].name == name)
                return c;
        contender c;
        c.name = c.title = name;
        const bool is_pool = name == linn_name || name.ends_with("pool");
        c.kind = is_pool                     ? contender_kind::in_process
                 : name.starts_with("glibc") ? contender_kind::system
                                             : contender_kind::preload;
        list.push_back(c);
        return list.size() - 1;
    }
};

} // namespace linn::tool
