// SPDX-License-Identifier: Apache-2.0
#include "samples.hpp"

#include "../support/advised_program.hpp"
#include "bench/judgement.hpp"
#include "run/judge.hpp"

#include <cmath>
#include <numbers>
#include <string_view>
#include <utility>

namespace linn::tool::samples {
namespace {

/// A number from 0 to 1 that looks random and is the same everywhere.
double wobble(std::size_t seed) {
    const double x = static_cast<double>(seed + 1) * std::numbers::phi;
    return x - std::floor(x);
}

/// `middle` with samples on both sides of it, one of them far off.
double sample_around(double middle, double spread, std::size_t seed, std::size_t round) {
    const double share = (wobble(seed * 31 + round) - 0.5) * 2 * spread;
    return middle * (1 + share + (round == 7 ? 2 * spread : 0));
}

contender make_contender(const std::string& name, contender_kind kind) {
    contender c;
    c.name = c.title = name;
    c.kind = kind;
    if (kind == contender_kind::preload) {
        c.library = "/usr/lib/" + name + ".so";
    }
    const std::string file = c.library.empty() ? "/usr/lib/libc.so.6" : c.library.string();
    c.proof.files = {{"malloc", file},
                     {"operator new", c.library.empty() ? "/usr/lib/libstdc++.so.6" : file}};
    return c;
}

machine_info make_machine() {
    return {.cpu_model = "Sample CPU at 2 GHz",
            .cpus = 2,
            .kernel = "Linux 6.1",
            .huge_pages = "madvise",
            .compiler = "GCC 12",
            .build = "optimised",
            .counter = "time-stamp counter",
            .ticks_per_ns = 2,
            .environment = {}};
}

/// The cost of the contender at this place in the list, by glibc's.
double speed_of(const contender& c, std::size_t place) {
    if (c.name == linn_name) {
        return 1.0 / 6;
    }
    if (c.name == control_name) {
        return 1.01;
    }
    return c.kind == contender_kind::preload ? std::pow(0.9, static_cast<double>(place) - 1) : 1;
}

void add_rows(bench_result& result, scenario_result& s, std::size_t variant, const bench_sample& what) {
    const std::string_view pool = s.what->variants[variant].contender;
    for (std::size_t c = 0; c != result.contenders.size(); ++c) {
        const std::string& name = result.contenders[c].name;
        if (pool.empty() ? name == linn_name : name != pool) {
            continue;
        }
        row r;
        r.contender = c;
        r.variant = variant;
        for (std::size_t round = 0; round != what.rounds; ++round) {
            sample one;
            for (std::size_t p = 0; p != s.what->phases.size(); ++p) {
                // The cost grows with the phase, and jumps where phases are sizes.
                const bool is_cliff = s.what->phases[p].bytes >= 65'536 && name == what.allocators.front();
                const double cost = 110.0 * (1 + 0.2 * static_cast<double>(p % 20)) * (is_cliff ? 20 : 1);
                one.cycles.push_back(
                    sample_around(cost * speed_of(result.contenders[c], c), what.spread, c * 101 + p, round));
                one.faults.push_back(c == 0 ? 0.25 : 0);
            }
            one.metrics.assign(s.what->phases.size(), {{"receiver_idle", 0.4}, {"worker_idle", 0.3}});
            one.peak_rss_bytes = (8 + c) << 20;
            r.samples.push_back(std::move(one));
        }
        s.rows.push_back(std::move(r));
    }
}

} // namespace

bench_result make_bench(const bench_sample& what) {
    bench_result result;
    result.machine = make_machine();
    result.started = "2026-11-21T11:45:35Z";
    result.seconds = 192;
    result.options.rounds = result.complete_rounds = what.rounds;
    result.contenders.push_back(make_contender(baseline_name, contender_kind::system));
    result.contenders.push_back(make_contender(control_name, contender_kind::system));
    result.contenders.back().title = "glibc again";
    for (const std::string& name : what.allocators) {
        result.contenders.push_back(make_contender(name, contender_kind::preload));
    }
    if (what.with_linn) {
        result.contenders.push_back(make_contender(linn_name, contender_kind::in_process));
    }
    result.missing.push_back({"ghost", {}, "not installed: apt-get install libghost1"});
    for (const scenario& s : scenarios()) {
        bool is_wanted = what.scenarios.empty() && s.group != "targets"; // a page of what usually runs
        for (const std::string& name : what.scenarios) {
            is_wanted = is_wanted || name == s.name;
        }
        if (!is_wanted) {
            continue;
        }
        scenario_result& one = result.scenarios.emplace_back();
        one.what = &s;
        for (std::size_t v = 0; v != s.variants.size(); ++v) {
            add_rows(result, one, v, what);
        }
    }
    judge(result);
    return result;
}

namespace {

run_row make_row(const std::string& name, std::size_t place, std::size_t rounds) {
    const double speed = place < 2 ? 1 : place % 2 == 0 ? 0.88 : 1.12;
    run_row row;
    row.contender.name = name;
    row.contender.title = name == default_name ? "default (glibc)" : name;
    if (place > 1) {
        row.contender.library = "/usr/lib/" + name + ".so";
    }
    row.contender.providers = {{"malloc", "/usr/lib/" + name + ".so"},
                               {"operator new", "/usr/lib/libstdc++.so.6"}};
    for (std::size_t round = 0; round != rounds; ++round) {
        run_sample s;
        s.round = round;
        for (const auto& [metric, value] :
             std::vector<std::pair<std::string, double>>{{"wall_ns", 1.5e9},
                                                         {"cpu_ns", 1.4e9},
                                                         {"user_ns", 1.2e9},
                                                         {"sys_ns", 0.2e9},
                                                         {"peak_rss_bytes", 6e7},
                                                         {"minor_faults", 12'345}}) {
            s.values[metric] = sample_around(value * speed, 0.01, place * 7 + metric.size(), round);
        }
        row.samples.push_back(s);
    }
    return row;
}

} // namespace

run_result make_run(const std::vector<std::string>& allocators, std::size_t rounds) {
    run_result result;
    result.machine = make_machine();
    result.started = "2026-11-21T11:45:35Z";
    result.seconds = 95;
    result.complete_rounds = rounds;
    result.what.command = {"sqlite3", ":memory:", ".read insert.sql"};
    result.what.spec.program = "/usr/bin/sqlite3";
    result.what.own_provider = "/usr/lib/libc.so.6";
    result.rows.push_back(make_row(default_name, 0, rounds));
    result.rows.push_back(make_row(default_again_name, 1, rounds));
    for (const std::string& name : allocators) {
        result.rows.push_back(make_row(name, result.rows.size(), rounds));
    }
    result.left_out.push_back({"ghost", "not installed: apt-get install libghost1"});
    result.warnings = {"The output differs from run to run."};
    judge(result);
    describe_run(result);
    return result;
}

try_result make_try() {
    try_result result;
    for (const std::string& label : {hostile, std::string{"48-byte blocks #1 of parse in libshop.so.2"}}) {
        try_candidate c;
        c.label = label;
        c.types = {label};
        c.addresses = {label == hostile ? "" : "libshop.so.2+0x5ccca"};
        c.pools = {{.name = label}};
        plan_site site;
        site.pool = label;
        site.size = 48;
        site.call = {"shop", 0x1000 + result.candidates.list.size(), {}};
        c.sites = {site};
        c.allocations = 1000;
        c.share = 0.25;
        result.candidates.list.push_back(std::move(c));
    }
    result.candidates.modules = {{"shop", {1, 2}}};
    result.candidates.left_out = {{hostile, "its blocks have many sizes", 0.123, {}}};
    result.hits = {1000, 999};
    result.arms = {arm_of_types(result.candidates, {0, 1}), arm_by_size(result.candidates, {0, 1}),
                   arm_of_every_block()};
    result.deciding = make_run({"types", "by-size", "every", "empty", "jemalloc"});
    result.parts = arms_of_parts(result.candidates, result.arms.front(), 6);
    result.explaining = make_run({"chosen", "without-1", "without-2"});
    for (run_row& row : result.explaining.rows) {
        if (const try_arm* arm = result.find_arm(row.contender.name)) {
            row.contender.title = arm->title;
        }
    }
    judge_trial(result);
    result.plan.program = "shop";
    return result;
}

advice make_advice(std::size_t more_types) {
    testing::program p;
    std::vector<std::string> names{"Particle|std::list<Particle>", "Packet|std::shared_ptr<Packet>",
                                   "char|std::string"};
    p.churn(20'000, 56, 1000, 1);
    p.churn(8'000, 104, 30);
    p.churn(4'000, 38, 1);
    for (std::size_t i = 0; i != more_types; ++i) {
        names.push_back("detail::Node" + std::to_string(i) + "<std::basic_string<char>, unsigned long>|");
        p.churn(9, 32, 3);
    }
    names.push_back(hostile + '|');
    p.keep_the_rest();
    p.churn(12, 4096, 12);
    p.info().command = {"./simulate", "--steps", "1000", hostile};
    p.info().started = "2026-11-21T11:45:35Z";
    p.info().machine = "Sample CPU at 2 GHz, 2 CPUs, Linux 6.1";
    advise_parts parts = testing::parts_for(names);
    parts.sources = [](const std::string&) { return std::vector<std::string>{"std::list<Particle> alive;"}; };
    advice a = advise(testing::timed(p.analyse(2e9), {0.08, 0.04, 0.006}, 0.04), parts);
    a.warnings = {"libphysics.so.2 has no debug information"};
    return a;
}

} // namespace linn::tool::samples
