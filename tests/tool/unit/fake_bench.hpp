// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/bench.hpp"
#include "measure/statistics.hpp"
#include "report/commands/reports.hpp"
#include "report/render/render.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

inline const scenario& scenario_named(std::string_view name) {
    return *std::ranges::find(scenarios(), name, &scenario::name);
}

/// A result put together by hand: one tick is a nanosecond, and the samples of a row are alike.
struct fake_bench {
    bench_result result;

    fake_bench() {
        result.machine.build = "optimised";
        result.scenarios.reserve(scenarios().size()); // references to them stay valid
    }
    explicit fake_bench(std::string_view scenario) : fake_bench() { add_scenario(scenario); }

    scenario_result& add_scenario(std::string_view name) {
        return result.scenarios.emplace_back(scenario_result{&scenario_named(name)});
    }
    scenario_result& scenario() { return result.scenarios.front(); }

    /// A row of `cycles(phase)`; 0 is a phase that it lacks. Without a variant it is the contender's own one, else the baseline.
    row& add(scenario_result& s, const std::string& contender_name, std::string_view variant,
             const std::function<double(const phase_info&)>& cycles) {
        row r;
        r.contender = contender_of(contender_name);
        const auto& variants = s.what->variants;
        const auto find = [&](const auto& is_it) {
            return static_cast<std::size_t>(std::find_if(variants.begin(), variants.end(), is_it) -
                                            variants.begin());
        };
        if (variant.empty()) {
            r.variant = find([&](const variant_info& v) { return v.contender == contender_name; });
        }
        if (!variant.empty() || r.variant == variants.size()) {
            r.variant = find([&](const variant_info& v) {
                return v.name == (variant.empty() ? s.what->baseline : variant);
            });
        }
        REQUIRE(r.variant < variants.size());
        sample one;
        for (const phase_info& p : s.what->phases) {
            one.cycles.push_back(cycles(p));
        }
        one.faults.assign(s.what->phases.size(), 0);
        one.metrics.resize(s.what->phases.size());
        r.samples.assign(rounds_to_judge, one);
        return s.rows.emplace_back(r);
    }
    row& add(scenario_result& s, const std::string& name, std::string_view variant, double cycles) {
        return add(s, name, variant, [cycles](const phase_info&) { return cycles; });
    }
    /// In the first scenario, with the same metrics in every phase.
    row& add(const std::string& name, std::string_view variant, double cycles,
             const std::map<std::string, double>& metrics = {}) {
        row& r = add(scenario(), name, variant, cycles);
        for (sample& one : r.samples) {
            one.metrics.assign(one.cycles.size(), metrics);
        }
        return r;
    }
    /// In the first scenario, phase by phase.
    row& add(const std::string& name, const std::vector<double>& cycles) {
        row& r = add(name, {}, 0);
        for (sample& one : r.samples) {
            one.cycles = cycles;
        }
        return r;
    }

    static void set(row& r, std::size_t phase, double cycles) {
        for (sample& s : r.samples) {
            s.cycles[phase] = cycles;
        }
    }

    const bench_result& judged() {
        judge(result);
        return result;
    }

    /// What a terminal of that width shows.
    std::string shown(std::size_t width) {
        return report::render_terminal(report::bench_document(judged()), {width});
    }

    std::size_t contender_of(const std::string& name) {
        auto& list = result.contenders;
        for (std::size_t c = 0; c != list.size(); ++c) {
            if (list[c].name == name) {
                return c;
            }
        }
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
