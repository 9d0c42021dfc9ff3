// SPDX-License-Identifier: Apache-2.0
#include "scenario.hpp"

#include <fmt/format.h>

namespace linn::tool {

namespace {

// In the order of the help text; those of a group come last.
constexpr scenario (*alone[])(){
    &headline_scenario,  &object_scenario, &containers_scenario, &reuse_scenario,   &shared_ptr_scenario,
    &zero_fill_scenario, &sizes_scenario,  &pipeline_scenario,   &buffers_scenario, &pmr_scenario,
};

constexpr scenario_group groups[]{
    {"threads", "nine programs of allocation benchmarks with 1, 2, 4 ... threads; on request only",
     &threads_scenarios},
    {"targets", "what Linn's own targets are measured by; on request only", &targets_scenarios},
};

} // namespace

std::span<const scenario> scenarios() noexcept {
    static const std::vector<scenario> all = [] {
        std::vector<scenario> list;
        for (const auto make : alone) {
            list.push_back(make());
        }
        for (const scenario_group& group : groups) {
            for (const scenario& s : group.scenarios()) {
                list.push_back(s);
                list.back().group = group.name;
            }
        }
        return list;
    }();
    return all;
}

std::span<const scenario_group> scenario_groups() noexcept {
    return groups;
}

scenario on_grid(scenario s, const std::vector<phase_part>& groups, const std::vector<phase_part>& steps,
                 double factor) {
    const auto both = [](std::string_view first, std::string_view second, std::string_view between) {
        return fmt::format("{}{}{}", first, first.empty() || second.empty() ? "" : between, second);
    };
    for (const phase_part& group : groups) {
        for (const phase_part& step : steps) {
            s.columns.push_back({.group = std::string{group.title},
                                 .title = step.title,
                                 .phase = s.phases.size(),
                                 .factor = factor,
                                 .droppable = group.droppable + step.droppable});
            s.phases.push_back({both(group.name, step.name, "_"), both(step.title, group.title, ", ")});
        }
    }
    return s;
}

scenario headline_scenario() {
    return {.name = headline_name,
            .summary = "twelve tests from the other scenarios; the default",
            .operation = "operation",
            .heading = "nanoseconds an operation",
            .baseline = "usual",
            .variants = {{"usual", "new, make_shared, containers"}, {"linn", "Linn's pools", "linn"}},
            .comparisons = {{"linn", {"usual"}, "the best general allocator", "general allocators"}},
            .remarks = {"hot: each object is freed before the next is allocated; bursts: 256 live, then all "
                        "destroyed; million: all are live, then freed in the order of allocation; set: an "
                        "integer inserted and erased, of 10 000 with two threads; reuse: a list is built, "
                        "walked and freed in random order, in memory that is used again.",
                        "freed by the other: two threads allocate 256 objects each and free those of the "
                        "other.",
                        "8 MiB: acquired and released, nothing is written. make_shared fills the buffer with "
                        "zeros; linn::buffer_pool does not."},
            .phases = {{"hot", "new/delete 64 B, hot"},
                       {"million", "new/delete 64 B, a million live"},
                       {"shared_hot", "make_shared 1.5 KB, hot"},
                       {"shared_burst", "make_shared 1.5 KB, bursts"},
                       {"set", "unordered_set, 100 000 ints"},
                       {"reuse", "list of 30 000 nodes, reused"},
                       {"buffer_shared", "8 MiB buffer, make_shared", 0, 1, "no zero fill"},
                       {"buffer_new", "8 MiB buffer, new char[n]"},
                       {"two_hot", "2 threads: new/delete 64 B, hot", 0, 2},
                       {"two_remote", "2 threads: freed by the other", 0, 2},
                       {"two_burst", "2 threads: make_shared, bursts", 0, 2},
                       {"two_set", "2 threads: unordered_set", 0, 2}},
            .columns = {{"new/delete 64 B", "hot", 0},
                        {"new/delete 64 B", "million", 1},
                        {"make_shared", "hot", 2},
                        {"make_shared", "bursts", 3},
                        {"", "set", 4},
                        {"", "reuse", 5},
                        {"8 MiB", "shared", 6},
                        {"8 MiB", "new", 7},
                        {"two threads", "hot", 8},
                        {"two threads", "remote", 9},
                        {"two threads", "bursts", 10},
                        {"two threads", "set", 11}},
            .touched_mib = 80,
            .usual_seconds = 0.5,
            .worker = "linn-bench-headline"};
}

} // namespace linn::tool
