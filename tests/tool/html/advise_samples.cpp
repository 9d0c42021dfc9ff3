// SPDX-License-Identifier: Apache-2.0
#include "advise_samples.hpp"

#include "samples.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace linn::tool::samples {
namespace {

symbol_frame frame(std::string function, std::string file, unsigned line) {
    symbol_frame f;
    f.function = std::move(function);
    f.file = std::move(file);
    f.line = line;
    f.column = 9;
    return f;
}

site_statistics statistics_of(std::uint64_t count, std::uint64_t size, std::size_t seed) {
    site_statistics s;
    s.allocations = count;
    s.bytes = count * size;
    s.smallest = s.largest = size;
    s.sizes = {{size, count}};
    const auto bucket = static_cast<std::size_t>(std::log2(static_cast<double>(size)));
    s.size_histogram[bucket] = count;
    s.releases = count - count / 50;
    s.remote_releases = seed % 3 == 0 ? count / 4 : 0;
    s.temporary = count / 9;
    for (std::size_t i = 0; i != 14; ++i) {
        s.lifetimes[6 + 2 * i] =
            static_cast<std::uint64_t>(static_cast<double>(s.releases) * wobble(seed + i) / 7);
    }
    s.live_at_end = s.allocations - s.releases;
    s.live_bytes_at_end = s.live_at_end * size;
    s.peak_live = count / 3;
    s.peak_live_bytes = s.peak_live * size;
    s.longest_burst = 1000;
    s.threads = 2;
    return s;
}

void add(site_statistics& to, const site_statistics& s) {
    to.allocations += s.allocations;
    to.bytes += s.bytes;
    to.releases += s.releases;
    to.peak_live_bytes += s.peak_live_bytes;
    for (std::size_t i = 0; i != to.lifetimes.size(); ++i) {
        to.lifetimes[i] += s.lifetimes[i];
        to.size_histogram[i] += s.size_histogram[i];
    }
}

/// A type with `places` places of one site each, the first of which allocates half.
advised_type make_type(advice& a, std::string name, std::string container, std::uint64_t count,
                       std::uint64_t size, std::size_t places) {
    const std::size_t seed = a.types.size();
    advised_type t;
    t.name = std::move(name);
    t.container = std::move(container);
    t.named.type = t.name;
    t.named.allocated = t.container.empty() ? t.name : "std::_List_node<" + t.name + ">";
    t.named.rule = type_rule::allocator;
    t.statistics = statistics_of(count, size, seed);
    for (std::size_t i = 0; i != places; ++i) {
        const std::uint64_t part = i + 1 == places ? count >> i : count >> (i + 1);
        advised_place p;
        p.frame = frame("sim::World::step_" + std::to_string(i) + "(double)", "/home/me/sim/src/world.cpp",
                        static_cast<unsigned>(40 + 17 * i + seed));
        p.share = static_cast<double>(part) / static_cast<double>(count);
        p.callers = {p.frame, frame("sim::run(sim::World&, unsigned)", "/home/me/sim/src/run.cpp", 88),
                     frame("main", "/home/me/sim/src/main.cpp", 12)};
        p.sites = {static_cast<std::uint32_t>(a.analysis.sites.size())};
        analysed_site s;
        s.stack = static_cast<std::uint32_t>(a.analysis.sites.size() + 1);
        s.call = allocation_call::operator_new;
        s.statistics = statistics_of(std::max<std::uint64_t>(part, 1), size, seed + i);
        a.analysis.sites.push_back(s);
        t.places.push_back(p);
    }
    add(a.analysis.all, t.statistics);
    return t;
}

void make_history(timeline& over_time) {
    constexpr std::size_t steps = 900;
    over_time.step_ns = 3'000'000;
    for (std::size_t i = 0; i != steps; ++i) {
        const double x = static_cast<double>(i) / steps;
        const double live =
            30e6 * (1 - std::exp(-6 * x)) + 8e6 * std::abs(std::sin(40 * x)) + 1e6 * wobble(i);
        over_time.live_bytes.push_back(static_cast<std::uint64_t>(x > 0.95 ? live * (1 - x) * 20 : live));
        over_time.live_blocks.push_back(over_time.live_bytes.back() / 52);
        over_time.events.push_back(
            static_cast<std::uint64_t>(9000 + 6000 * wobble(i / 60) + 500 * wobble(i)));
    }
}

} // namespace

advice make_advice(std::size_t more_types) {
    advice a;
    trace_info& info = a.analysis.info;
    info.command = {"./simulate", "--steps", "1000", hostile};
    info.directory = "/home/me/sim";
    info.started = "2026-11-21T11:45:35Z";
    info.machine = "Sample CPU at 2 GHz, 2 CPUs, Linux 6.1";
    info.duration_ns = 2'700'000'000;
    info.user_ns = 2.4e9;
    info.system_ns = 0.1e9;
    info.event_cost_ns = 21;
    info.baseline.cpu_ns = 2.2e9;
    info.ending = "exited with status 0";
    info.depth = 16;
    info.stacks.resize(32);
    info.threads.resize(2);
    info.file_bytes = 27'000'000;
    a.verdict = "Allocation takes 14 to 18 % of this program's CPU time: 12 % in calls, 4.0 % in page "
                "faults. A pool would help.";
    a.answer = pool_answer::yes;
    a.analysis.time = {.why_not = time_unknown::none,
                       .share = 0.16,
                       .low = 0.14,
                       .high = 0.18,
                       .calls = 0.12,
                       .page_faults = 0.04,
                       .samples = 70'000,
                       .faults = 9000,
                       .cpu_ns = 2.2e9};
    a.pools = {0.05, 0.18};

    a.types.push_back(make_type(a, "Particle", "std::list<Particle>", 4'200'000, 56, 3));
    a.types.back().what = remedy::pool_allocator;
    a.types.back().use = {"linn::list", "linn::list<Particle>", "use linn::list<Particle>"};
    a.types.back().statistics.time = {.calls = 0.08, .systematic = 0.02};
    a.types.back().why =
        "All blocks have one size, 1.4 million are live at once, and a quarter is released by another "
        "thread. A pool serves them without the general allocator's search and header.";
    a.types.back().snippet =
        "-    std::list<Particle> alive;\n+    linn::list<Particle> alive;\n     // #include "
        "<linn/containers.hpp>";
    a.types.push_back(make_type(a, "Packet", "std::shared_ptr<Packet>", 1'900'000, 104, 2));
    a.types.back().what = remedy::make_shared;
    a.types.back().use = {"linn::make_shared", "linn::make_shared<Packet>", "use linn::make_shared<Packet>"};
    a.types.back().statistics.time = {.calls = 0.04, .systematic = 0.01};
    a.types.back().why = "One size, short-lived.";
    a.types.back().snippet =
        "-    auto p = std::make_shared<Packet>(id);\n+    auto p = linn::make_shared<Packet>(id);";
    a.types.push_back(make_type(a, "char", "std::string", 900'000, 38, 4));
    a.types.back().what = remedy::reserve;
    a.types.back().use = {"reserve()", "reserve()", "use reserve()"};
    a.types.back().statistics.time = {.calls = 0.006, .systematic = 0.006};
    a.types.back().why = "Strings that grow by appending.";
    a.types.push_back(make_type(a, hostile, {}, 12'000, 4096, 1));
    a.types.back().why = "Rare and large.";
    for (std::size_t i = 0; i != more_types; ++i) {
        a.types.push_back(
            make_type(a, "detail::Node" + std::to_string(i) + "<std::basic_string<char>, unsigned long>", {},
                      9000 / (i + 1) + 1, 32, 1));
    }
    info.events = a.analysis.all.allocations + a.analysis.all.releases;
    for (advised_type& t : a.types) {
        t.share =
            static_cast<double>(t.statistics.allocations) / static_cast<double>(a.analysis.all.allocations);
    }
    make_history(a.analysis.over_time);
    a.findings = {{"temporary", "1.1 million strings were released by the very next call.",
                   frame("sim::name_of(int)", "/home/me/sim/src/names.cpp", 7), 41'000'000, 1'100'000},
                  {"leak", "240 blocks of " + hostile + " were never released.",
                   frame("sim::load()", "/home/me/sim/src/load.cpp", 120), 983'040, 240}};
    a.warnings = {
        "libphysics.so.2 has no debug information: 3 % of the allocations are named by function only."};
    return a;
}

} // namespace linn::tool::samples
