// SPDX-License-Identifier: Apache-2.0
#include "../scenario.hpp"

namespace linn::tool {

namespace {

/// The general allocators' variant and the pools that stand for any allocator, as pools.hpp of the worker names them.
std::vector<variant_info> pool_variants(std::string_view general, std::string_view linn) {
    return {{"general", general},
            {"pmr_unsynchronized", "pmr unsynchronized", "pmr-unsynchronized"},
            {"pmr_synchronized", "pmr synchronized", "pmr-synchronized"},
            {"boost_singleton_pool", "boost singleton_pool", "boost-singleton-pool"},
            {"lecture_pool", "lecture pool", "lecture-pool"},
            {"linn", linn, "linn"}};
}

/// Linn against all of them.
comparison_info pool_comparison() {
    return {"linn",
            {"general", "pmr_unsynchronized", "pmr_synchronized", "boost_singleton_pool", "lecture_pool"},
            "the best other",
            "all others"};
}

/// The scenario with each phase in cycles, with their interval and least, and in nanoseconds.
scenario with_cycles(scenario s) {
    for (std::size_t p = 0; p != s.phases.size(); ++p) {
        const std::string& title = s.phases[p].title;
        s.columns.insert(s.columns.end(), {{title, "median", p, figure::cycles, 1, {}, 0, 1},
                                           {title, "95 % interval", p, figure::bounds, 1, {}, 5, 1},
                                           {title, "min", p, figure::minimum, 1, {}, 1, 1},
                                           {title, "ns", p, figure::time, 1, {}, 4, 1}});
    }
    return s;
}

/// `linn::pool_resource` against each resource of the standard library.
std::vector<comparison_info> resource_comparisons() {
    return {{"linn_pool_resource",
             {"new_delete"},
             "new_delete_resource on the best allocator",
             "new_delete_resource"},
            {"linn_pool_resource", {"unsynchronized"}, "unsynchronized_pool_resource", "unsynchronized_pool"},
            {"linn_pool_resource", {"synchronized"}, "synchronized_pool_resource", "synchronized_pool"}};
}

} // namespace

scenario object_scenario() {
    return with_cycles(
        {.name = "object",
         .summary = "a class with operator new/delete over a pool against the same class without",
         .operation = "pair",
         .heading = "{objects} objects of {object_bytes} bytes allocated, then freed; cycles a pair",
         .baseline = "general",
         .variants = pool_variants("new and delete", "linn::pooled"),
         .comparisons = {pool_comparison()},
         .remarks = {"first pass: fresh memory, page faults included; many: later passes; hot pair: each "
                     "object freed at once.",
                     nothing_walks},
         .phases = {{"first", "first pass"}, {"many", "many"}, {"hot_pair", "hot pair"}},
         .published = {{"glibc", "class without its own operator new", "general", {0, 107, 0}},
                       {"tcmalloc", "class without its own operator new", "general", {0, 27, 0}},
                       {"lecture-pool", "class with operator new over the pool", "lecture_pool", {0, 8, 0}}},
         .published_unit = "cycles",
         .published_remark = "published, for many: a class without its own operator new, and one with it "
                             "over the lecture pool.",
         .sized_by = work_size::objects,
         .usual_seconds = 0.08});
}

scenario containers_scenario() {
    constexpr std::string_view ubuntu = "GCC 10.3, Ubuntu 20.04";
    return with_cycles(
        {.name = "containers",
         .summary = "insert, erase and insert again random integers in an unordered_set<int>",
         .operation = "operation",
         .heading = "{n} random integers in a std::{container}<int>; cycles an operation",
         .baseline = "general",
         .variants = pool_variants("std::allocator", "linn::allocator"),
         .comparisons = {pool_comparison()},
         .remarks = {nothing_walks},
         .phases = {{"insert", "insert"}, {"erase", "erase"}, {"insert_again", "insert again"}},
         .published = {{"glibc", ubuntu, "general", {307, 162, 176}},
                       {"tcmalloc", ubuntu, "general", {250, 116, 117}},
                       {"pmr-unsynchronized", ubuntu, "pmr_unsynchronized", {272, 210, 169}},
                       {"lecture-pool", ubuntu, "lecture_pool", {199, 112, 110}},
                       {"", "Apple Clang 12, macOS 10.15", "general", {449, 492, 305}},
                       {"", "MSVC 19.29, Windows 10", "general", {366, 185, 300}}},
         .published_unit = "cycles",
         .published_remark =
             "published: insert/erase/insert again, GCC 10.3, Ubuntu 20.04; elsewhere Apple Clang 12, "
             "macOS 10.15 449/492/305, MSVC 19.29, Windows 10 366/185/300; pmr synchronized was published "
             "in words: slower than the default on Linux",
         .sized_by = work_size::integers,
         .usual_seconds = 0.6});
}

scenario reuse_scenario() {
    const std::vector<std::string_view> others{"general", "pmr_unsynchronized"};
    return on_grid(
        {.name = "reuse",
         .summary = "lists and maps built, walked and freed in random order, in reused memory",
         .operation = "node",
         .heading = "n nodes allocated, walked and freed in random order, again; ns a node",
         .baseline = "general",
         .variants = {{"general", "new, std::allocator"},
                      {"pmr_unsynchronized", "pmr unsynchronized", "pmr-unsynchronized",
                       "one a kind of node"},
                      {"linn", "linn::allocator", "linn"},
                      {"linn_pool_resource", "linn::pool_resource", "linn", "through std::pmr"}},
         .comparisons = {{"linn", others, "the best other", "all others"},
                         {"linn_pool_resource", others, "the best other", "all others"}},
         .remarks = {"list: nodes of 48 bytes, linked in the order of allocation; map: map<int, int>; u_map: "
                     "unordered_map<int, int>. A round builds the structure, walks it four times and frees "
                     "its nodes in random order; the next round gets the same memory. Least of the rounds "
                     "after the first.",
                     "walk: one walk of the four; sum: build, walk and free. On a narrow terminal some "
                     "columns are missing; --json and --csv have all."},
         .touched_mib = 32,
         .usual_seconds = 0.9},
        {{"list_3k", "list 3K", 6},
         {"list_10k", "list 10K", 4},
         {"list_30k", "list 30K"},
         {"list_100k", "list 100K"},
         {"map_3k", "map 3K", 7},
         {"map_10k", "map 10K", 7},
         {"map_30k", "map 30K", 6},
         {"map_100k", "map 100K", 3},
         {"unordered_map_3k", "u_map 3K", 6},
         {"unordered_map_10k", "u_map 10K", 5},
         {"unordered_map_30k", "u_map 30K", 4},
         {"unordered_map_100k", "u_map 100K"}},
        {{"build", "build", 8}, {"walk", "walk"}, {"free", "free", 8}, {"sum", "sum"}});
}

scenario pmr_scenario() {
    scenario s{
        .name = "pmr",
        .summary = "std::pmr containers and raw blocks over memory resources",
        .operation = "element",
        .heading = "std::pmr containers over memory resources; ns an element",
        .baseline = "new_delete",
        .variants = {{"new_delete", "new_delete_resource"},
                     {"unsynchronized", "unsynchronized_pool", "pmr-unsynchronized", "one a thread"},
                     {"synchronized", "synchronized_pool", "pmr-synchronized"},
                     {"monotonic", "monotonic_buffer", "pmr-monotonic", "frees nothing, one a thread"},
                     {"linn_pool_resource", "linn::pool_resource", "linn"}},
        .comparisons = resource_comparisons(),
        .remarks = {"ns an element put in and taken out, of 4096 at once (u_map: unordered_map), or a raw "
                    "block of 8 to 4096 bytes allocated and freed, of 1024 at once; strings: 17 to 528 "
                    "bytes, in a growing vector.",
                    "unsynchronized_pool and monotonic_buffer are one a thread, the others shared. "
                    "monotonic_buffer frees nothing before the end and is no rival, only the least that a "
                    "resource can cost.",
                    nothing_walks},
        .touched_mib = 32,
        .usual_seconds = 0.1};
    struct test {
        const char* name;
        const char* title;
        const char* column;
    };
    for (const char* const threads : {"", "two"}) {
        for (const test& t : {test{"list", "list", "list"},
                              {"map", "map", "map"},
                              {"unordered_map", "unordered_map", "u_map"},
                              {"strings", "strings", "strings"},
                              {"raw", "raw blocks", "raw"}}) {
            const bool are_two = *threads != '\0';
            s.columns.push_back({are_two ? "two threads" : "one thread", t.column, s.phases.size()});
            s.phases.push_back({std::string{t.name} + (are_two ? "_two" : ""),
                                std::string{t.title} + (are_two ? " on two threads" : "")});
        }
    }
    return s;
}

scenario pmr_blocks_scenario() {
    return on_grid(
        {.name = "pmr-blocks",
         .summary = "blocks of mixed sizes over memory resources, and resources that live shortly",
         .operation = "block",
         .heading = "blocks of mixed sizes over memory resources, by the number live; ns a block",
         .baseline = "new_delete",
         .variants = {{"new_delete", "new_delete_resource"},
                      {"unsynchronized", "unsynchronized_pool", "pmr-unsynchronized", "one a thread"},
                      {"synchronized", "synchronized_pool", "pmr-synchronized"},
                      {"linn_pool_resource", "linn::pool_resource", "linn"},
                      {"linn_over_new", "the same over new_delete", "linn", "slabs from new and delete"}},
         .comparisons = resource_comparisons(),
         .remarks = {"Blocks of 8 to 2047 bytes, 70 % of them below 96, by the number live; freed in the "
                     "order of allocation. map of 100: a resource is made, a map filled from it, and both "
                     "let go; ns an element.",
                     nothing_walks},
         .touched_mib = 64,
         .usual_seconds = 0.3},
        {{}},
        {{"one", "one"},
         {"1000", "1000 live"},
         {"100k", "100K live"},
         {"one_two", "one, two thr."},
         {"1000_two", "1000, two thr.", 3},
         {"100k_two", "100K, two thr."},
         {"short_lived", "map of 100", 2}});
}

} // namespace linn::tool
