// SPDX-License-Identifier: Apache-2.0
#include "../scenario.hpp"
#include "phase_grid.hpp"

#include <array>

namespace linn::tool {

namespace {

/// The general allocators' variant and the pools that stand for any allocator, as pools.hpp of the worker names them.
constexpr std::array<variant_info, 6> pool_variants(std::string_view general, std::string_view linn) {
    return {{{"general", general},
             {"pmr_unsynchronized", "pmr unsynchronized", "pmr-unsynchronized"},
             {"pmr_synchronized", "pmr synchronized", "pmr-synchronized"},
             {"boost_singleton_pool", "boost singleton_pool", "boost-singleton-pool"},
             {"lecture_pool", "lecture pool", "lecture-pool"},
             {"linn", linn, "linn"}}};
}

/// All of them but Linn's.
constexpr std::string_view other_pools[] = {"general", "pmr_unsynchronized", "pmr_synchronized",
                                            "boost_singleton_pool", "lecture_pool"};

/// Each phase in cycles, with their interval and least, and in nanoseconds.
template <std::size_t Phases>
constexpr std::array<column_info, 4 * Phases> cycle_columns(const std::array<phase_info, Phases>& phases) {
    std::array<column_info, 4 * Phases> columns{};
    for (std::size_t p = 0; p != Phases; ++p) {
        columns[4 * p] = {phases[p].title, "median", p, figure::cycles, 1, {}, 0, 1};
        columns[4 * p + 1] = {phases[p].title, "95 % interval", p, figure::bounds, 1, {}, 5, 1};
        columns[4 * p + 2] = {phases[p].title, "min", p, figure::minimum, 1, {}, 1, 1};
        columns[4 * p + 3] = {phases[p].title, "ns", p, figure::time, 1, {}, 4, 1};
    }
    return columns;
}

} // namespace

scenario object_scenario() {
    static constexpr std::array phases{phase_info{"first", "first pass"}, phase_info{"many", "many"},
                                       phase_info{"hot_pair", "hot pair"}};
    static constexpr auto columns = cycle_columns(phases);
    static constexpr auto variants = pool_variants("new and delete", "linn::pooled");
    static constexpr std::array glibc{0.0, 107.0, 0.0};
    static constexpr std::array tcmalloc{0.0, 27.0, 0.0};
    static constexpr std::array lecture{0.0, 8.0, 0.0};
    static constexpr std::array published{
        published_row{"glibc", "class without its own operator new", glibc, "general"},
        published_row{"tcmalloc", "class without its own operator new", tcmalloc, "general"},
        published_row{"lecture-pool", "class with operator new over the pool", lecture, "lecture_pool"},
    };
    static constexpr std::string_view remarks[]{
        "first pass: fresh memory, page faults included; many: later passes; hot pair: each object freed at "
        "once.",
        nothing_walks,
    };
    static constexpr std::array comparisons{
        comparison_info{"linn", other_pools, "the best other", "all others"}};
    return {.name = "object",
            .summary = "a class with operator new/delete over a pool against the same class without",
            .operation = "pair",
            .phases = phases,
            .published = published,
            .published_unit = "cycles",
            .published_remark = "published, for many: a class without its own operator new, and one with it "
                                "over the lecture pool.",
            .variants = variants,
            .baseline = "general",
            .heading = "{objects} objects of {object_bytes} bytes allocated, then freed; cycles a pair",
            .columns = columns,
            .remarks = remarks,
            .comparisons = comparisons,
            .sized_by = work_size::objects,
            .usual_seconds = 0.08};
}

scenario containers_scenario() {
    static constexpr std::array phases{phase_info{"insert", "insert"}, phase_info{"erase", "erase"},
                                       phase_info{"insert_again", "insert again"}};
    static constexpr auto columns = cycle_columns(phases);
    static constexpr auto variants = pool_variants("std::allocator", "linn::allocator");
    static constexpr std::array glibc{307.0, 162.0, 176.0};
    static constexpr std::array tcmalloc{250.0, 116.0, 117.0};
    static constexpr std::array pmr{272.0, 210.0, 169.0};
    static constexpr std::array lecture{199.0, 112.0, 110.0};
    static constexpr std::array apple{449.0, 492.0, 305.0};
    static constexpr std::array msvc{366.0, 185.0, 300.0};
    static constexpr std::array published{
        published_row{"glibc", "GCC 10.3, Ubuntu 20.04", glibc, "general"},
        published_row{"tcmalloc", "GCC 10.3, Ubuntu 20.04", tcmalloc, "general"},
        published_row{"pmr-unsynchronized", "GCC 10.3, Ubuntu 20.04", pmr, "pmr_unsynchronized"},
        published_row{"lecture-pool", "GCC 10.3, Ubuntu 20.04", lecture, "lecture_pool"},
        published_row{"", "Apple Clang 12, macOS 10.15", apple, "general"},
        published_row{"", "MSVC 19.29, Windows 10", msvc, "general"},
    };
    static constexpr std::array remarks{nothing_walks};
    static constexpr std::array comparisons{
        comparison_info{"linn", other_pools, "the best other", "all others"}};
    return {.name = "containers",
            .summary = "insert, erase and insert again random integers in an unordered_set<int>",
            .operation = "operation",
            .phases = phases,
            .published = published,
            .published_unit = "cycles",
            .published_remark =
                "published: insert/erase/insert again, GCC 10.3, Ubuntu 20.04; elsewhere Apple Clang 12, "
                "macOS 10.15 449/492/305, MSVC 19.29, Windows 10 366/185/300; pmr synchronized was published "
                "in words: slower than the default on Linux",
            .variants = variants,
            .baseline = "general",
            .heading = "{n} random integers in a std::{container}<int>; cycles an operation",
            .columns = columns,
            .remarks = remarks,
            .comparisons = comparisons,
            .sized_by = work_size::integers,
            .usual_seconds = 0.6};
}

scenario reuse_scenario() {
    static constexpr std::array variants{
        variant_info{"general", "new, std::allocator"},
        variant_info{"pmr_unsynchronized", "pmr unsynchronized", "pmr-unsynchronized", "one a kind of node"},
        variant_info{"linn", "linn::allocator", "linn"},
        variant_info{"linn_pool_resource", "linn::pool_resource", "linn", "through std::pmr"},
    };
    static constexpr std::string_view others[]{"general", "pmr_unsynchronized"};
    static constexpr std::array comparisons{
        comparison_info{"linn", others, "the best other", "all others"},
        comparison_info{"linn_pool_resource", others, "the best other", "all others"},
    };
    static constexpr std::string_view remarks[]{
        "list: nodes of 48 bytes, linked in the order of allocation; map: map<int, int>; u_map: "
        "unordered_map<int, int>. A round builds the structure, walks it four times and frees its nodes in "
        "random order; the next round gets the same memory. Least of the rounds after the first.",
        "walk: one walk of the four; sum: build, walk and free. On a narrow terminal some columns are "
        "missing; --json and --csv have all.",
    };
    static const phase_grid grid{
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
        {{"build", "build", 8}, {"walk", "walk"}, {"free", "free", 8}, {"sum", "sum"}}};
    return {.name = "reuse",
            .summary = "lists and maps built, walked and freed in random order, in reused memory",
            .operation = "node",
            .phases = grid.phases(),
            .variants = variants,
            .baseline = "general",
            .heading = "n nodes allocated, walked and freed in random order, again; ns a node",
            .columns = grid.columns(),
            .remarks = remarks,
            .comparisons = comparisons,
            .touched_mib = 32,
            .usual_seconds = 0.9};
}

scenario pmr_scenario() {
    static constexpr std::array phases{
        phase_info{"list", "list"},
        phase_info{"map", "map"},
        phase_info{"unordered_map", "unordered_map"},
        phase_info{"strings", "strings"},
        phase_info{"raw", "raw blocks"},
        phase_info{"list_two", "list on two threads"},
        phase_info{"map_two", "map on two threads"},
        phase_info{"unordered_map_two", "unordered_map on two threads"},
        phase_info{"strings_two", "strings on two threads"},
        phase_info{"raw_two", "raw blocks on two threads"},
    };
    static constexpr std::array columns{
        column_info{"one thread", "list", 0},     column_info{"one thread", "map", 1},
        column_info{"one thread", "u_map", 2},    column_info{"one thread", "strings", 3},
        column_info{"one thread", "raw", 4},      column_info{"two threads", "list", 5},
        column_info{"two threads", "map", 6},     column_info{"two threads", "u_map", 7},
        column_info{"two threads", "strings", 8}, column_info{"two threads", "raw", 9},
    };
    static constexpr std::array variants{
        variant_info{"new_delete", "new_delete_resource"},
        variant_info{"unsynchronized", "unsynchronized_pool", "pmr-unsynchronized", "one a thread"},
        variant_info{"synchronized", "synchronized_pool", "pmr-synchronized"},
        variant_info{"monotonic", "monotonic_buffer", "pmr-monotonic", "frees nothing, one a thread"},
        variant_info{"linn_pool_resource", "linn::pool_resource", "linn"},
    };
    static constexpr std::string_view remarks[]{
        "ns an element put in and taken out, of 4096 at once (u_map: unordered_map), or a raw block of 8 to "
        "4096 bytes allocated and freed, of 1024 at once; strings: 17 to 528 bytes, in a growing vector.",
        "unsynchronized_pool and monotonic_buffer are one a thread, the others shared. monotonic_buffer "
        "frees nothing before the end and is no rival, only the least that a resource can cost.",
        nothing_walks,
    };
    static constexpr std::string_view general[]{"new_delete"};
    static constexpr std::string_view unsynchronized[]{"unsynchronized"};
    static constexpr std::string_view synchronized_pool[]{"synchronized"};
    static constexpr std::array comparisons{
        comparison_info{"linn_pool_resource", general, "new_delete_resource on the best allocator",
                        "new_delete_resource"},
        comparison_info{"linn_pool_resource", unsynchronized, "unsynchronized_pool_resource",
                        "unsynchronized_pool"},
        comparison_info{"linn_pool_resource", synchronized_pool, "synchronized_pool_resource",
                        "synchronized_pool"},
    };
    return {.name = "pmr",
            .summary = "std::pmr containers and raw blocks over memory resources",
            .operation = "element",
            .phases = phases,
            .variants = variants,
            .baseline = "new_delete",
            .heading = "std::pmr containers over memory resources; ns an element",
            .columns = columns,
            .remarks = remarks,
            .comparisons = comparisons,
            .touched_mib = 32,
            .usual_seconds = 0.1};
}

} // namespace linn::tool
