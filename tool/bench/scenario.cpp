// SPDX-License-Identifier: Apache-2.0
#include "scenario.hpp"

#include <fmt/format.h>

#include <bit>

namespace linn::tool {

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

namespace {

scenario headline_scenario() {
    return {.name = headline_name,
            .summary = "twelve tests from the other scenarios; the default",
            .operation = "operation",
            .heading = "nanoseconds an operation",
            .baseline = "usual",
            .variants = {{"usual", "new, make_shared, containers"}, {"linn", "Linn's pools", "linn"}},
            .comparisons = {{"linn", {"usual"}, "general allocators"}},
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
            .worker = "linn-bench-headline"};
}

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
            "all others"};
}

/// `linn::pool_resource` against each resource of the standard library.
std::vector<comparison_info> resource_comparisons() {
    return {{"linn_pool_resource", {"new_delete"}, "new_delete_resource"},
            {"linn_pool_resource", {"unsynchronized"}, "unsynchronized_pool"},
            {"linn_pool_resource", {"synchronized"}, "synchronized_pool"}};
}

scenario object_scenario() {
    return on_grid(
        {.name = "object",
         .summary = "a class with operator new/delete over a pool against the same class without",
         .operation = "pair",
         .heading = "100 000 objects of 64 bytes allocated, then freed; ns a pair",
         .baseline = "general",
         .variants = pool_variants("new and delete", "linn::pooled"),
         .comparisons = {pool_comparison()},
         .remarks = {"first pass: fresh memory, page faults included; many: later passes; hot pair: each "
                     "object freed at once.",
                     nothing_walks}},
        {{}}, {{"first", "first pass"}, {"many", "many"}, {"hot_pair", "hot pair"}});
}

scenario containers_scenario() {
    return on_grid({.name = "containers",
                    .summary = "insert, erase and insert again random integers in an unordered_set<int>",
                    .operation = "operation",
                    .heading = "a million random integers in a std::{container}<int>; ns an operation",
                    .baseline = "general",
                    .variants = pool_variants("std::allocator", "linn::allocator"),
                    .comparisons = {pool_comparison()},
                    .remarks = {nothing_walks}},
                   {{}}, {{"insert", "insert"}, {"erase", "erase"}, {"insert_again", "insert again"}});
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
         .comparisons = {{"linn", others, "all others"}, {"linn_pool_resource", others, "all others"}},
         .remarks = {"list: nodes of 48 bytes, linked in the order of allocation; map: map<int, int>; u_map: "
                     "unordered_map<int, int>. A round builds the structure, walks it four times and frees "
                     "its nodes in random order; the next round gets the same memory. Least of the rounds "
                     "after the first.",
                     "walk: one walk of the four; sum: build, walk and free. On a narrow terminal some "
                     "columns are missing; --json and --csv have all."}},
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
        .summary = "containers and raw blocks over std::pmr memory resources",
        .operation = "element",
        .heading = "elements put in and taken out, raw blocks allocated and freed; ns an element",
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
                    nothing_walks}};
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

} // namespace

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
                      {"linn_pool_resource", "linn::pool_resource", "linn"}},
         .comparisons = resource_comparisons(),
         .remarks = {"Blocks of 8 to 2047 bytes, 70 % of them below 96, by the number live; freed in the "
                     "order of allocation. map of 100: a resource is made, a map filled from it, and both "
                     "let go; ns an element.",
                     nothing_walks}},
        {{}},
        {{"one", "one"},
         {"1000", "1000 live"},
         {"100k", "100K live"},
         {"one_two", "one, two thr."},
         {"1000_two", "1000, two thr.", 3},
         {"100k_two", "100K, two thr."},
         {"short_lived", "map of 100", 2}});
}

namespace {

scenario shared_ptr_scenario() {
    return {.name = "shared-ptr",
            .summary = "ways to create and destroy a shared_ptr to a packet of 1.5 KB",
            .operation = "operation",
            .heading = "a packet of 1536 bytes created, one word written, destroyed; ns an operation",
            .baseline = "make_shared",
            .variants = {{"make_shared", "std::make_shared"},
                         {"make_shared_filled", "std::make_shared, no constructor", "",
                          "the packet is filled with zeros first"},
                         {"shared_ptr_with_new", "shared_ptr(new T)", "", "two allocations"},
                         {"new_delete", "new and delete, no shared_ptr"},
                         {"shared_ptr_with_pool", "shared_ptr(pool.pop())", "locked-pool",
                          "control block from glibc"},
                         {"allocate_shared", "allocate_shared, locked pool", "locked-pool"},
                         {"pool", "locked pool, no shared_ptr", "locked-pool"},
                         {"allocate_shared_spin", "allocate_shared, spinning pool", "spin-pool"},
                         {"pool_spin", "spinning pool, no shared_ptr", "spin-pool"},
                         {"linn_make_shared", "linn::make_shared", "linn"},
                         {"linn_make_shared_for_overwrite", "linn::make_shared_for_overwrite", "linn",
                          "of a packet without a constructor"},
                         {"linn_allocate_shared", "allocate_shared, linn::allocator", "linn"},
                         {"linn_recycler_shared", "recycler acquire_shared()", "linn",
                          "packets stay constructed"},
                         {"linn_recycler", "recycler acquire(), unique", "linn", "packets stay constructed"},
                         {"linn_pool", "linn::pool, no shared_ptr", "linn"}},
            .comparisons = {{"linn_make_shared", {"make_shared", "shared_ptr_with_new"}, "std::make_shared"},
                            {"linn_make_shared",
                             {"shared_ptr_with_pool", "allocate_shared", "allocate_shared_spin"},
                             "shared_ptr, locked pools"},
                            {"linn_pool", {"new_delete", "pool", "pool_spin"}, "raw new and locked pools"}},
            .remarks = {"hot: one packet at a time; burst: 256 live, then all destroyed; faults: page faults "
                        "an operation in bursts. An idle second thread makes glibc lock and std::shared_ptr "
                        "count atomically.",
                        "glibc, no trim: MALLOC_TRIM_THRESHOLD_ raised. What glibc gains there is heap given "
                        "back to the system and fetched again, not the price of allocating.",
                        nothing_walks},
            .phases = {{"single_hot", "hot"},
                       {"single_burst", "burst"},
                       {"multi_hot", "hot next to an idle thread"},
                       {"multi_burst", "burst next to an idle thread"},
                       {"two_hot", "hot on two threads"},
                       {"two_burst", "burst on two threads"}},
            .columns = {{"one thread", "hot", 0},
                        {"one thread", "burst", 1},
                        {"one thread", "faults", 1, figure::faults, 1, {}, 2},
                        {"and an idle one", "hot", 2},
                        {"and an idle one", "burst", 3},
                        {"two threads", "hot", 4},
                        {"two threads", "burst", 5},
                        {"two threads", "faults", 5, figure::faults, 1, {}, 2}}};
}

scenario pipeline_scenario() {
    constexpr double per_million = 1e-6;
    constexpr double ten_gigabit = 1 / 14.88e6;        // frames of 64 bytes a second
    constexpr double twenty_five_gigabit = 1 / 37.2e6; // likewise
    return {
        .name = "pipeline",
        .summary = "10 Gbit/s: one core receives packets, another processes and frees them",
        .operation = "packet",
        .heading = "packets from one core to another, held by shared_ptr",
        .baseline = "make_shared",
        .variants = {{"make_shared", "std::make_shared"},
                     {"allocate_shared", "allocate_shared, locked pool", "locked-pool"},
                     {"allocate_shared_spin", "allocate_shared, spinning pool", "spin-pool"},
                     {"linn_allocate_shared", "allocate_shared, linn::allocator", "linn"},
                     {"linn_make_shared", "linn::make_shared", "linn"},
                     {"linn_make_shared_for_overwrite", "linn::make_shared_for_overwrite", "linn"},
                     {"linn_recycler_shared", "recycler acquire_shared()", "linn"}},
        .comparisons = {{"linn_make_shared", {"make_shared"}, "std::make_shared"},
                        {"linn_make_shared", {"allocate_shared", "allocate_shared_spin"}, "locked pools"}},
        .remarks = {"One thread takes a packet of 1.5 KB, writes 128 bytes of it and hands it on through "
                    "a ring of 1024; another reads it and lets it go. M/s: million packets a second; "
                    "x 10G, x 25G: by the frames of 64 bytes that 10 and 25 Gbit/s carry, 14.88 and "
                    "37.2 M/s.",
                    "idle: share of its time that the receiving (recv) or the working core (work) had "
                    "nothing to do, because the ring was full, the next frames had not come yet, or the "
                    "ring was empty. At 14.88 M/s it is what is left for the real work; a rate below that "
                    "means that frames would be lost.",
                    "MiB: peak resident size, about 2 MiB of it the packets that the ring holds."},
        .phases = {{"flat_out", "flat out"}, {"line_rate", "at 14.88 M/s"}},
        .columns = {{"flat out", "M/s", 0, figure::rate, per_million, {}, 0, 1},
                    {"flat out", "x 10G", 0, figure::rate, ten_gigabit, {}, 0, 2},
                    {"flat out", "x 25G", 0, figure::rate, twenty_five_gigabit, {}, 0, 2},
                    {"idle", "recv", 0, figure::metric, 1, "receiver_idle", 3},
                    {"idle", "work", 0, figure::metric, 1, "worker_idle", 3},
                    {"at 14.88 M/s", "M/s", 1, figure::rate, per_million, {}, 0, 1},
                    {"at 14.88 M/s", "x 10G", 1, figure::rate, ten_gigabit, {}, 4, 2},
                    {"idle then", "recv", 1, figure::metric, 1, "receiver_idle"},
                    {"idle then", "work", 1, figure::metric, 1, "worker_idle"},
                    {"", "faults", 0, figure::faults, 1, {}, 2}}};
}

scenario zero_fill_scenario() {
    // From nanoseconds an object to milliseconds for 500 MB of objects.
    constexpr double small_total = 5'000'000 * 1e-6;
    constexpr double large_total = 5 * 1e-6;
    constexpr double us = 1e-3;
    return {
        .name = "zero-fill",
        .summary = "the zeros that make_shared<T>() writes unasked",
        .operation = "object",
        .heading = "objects made and let go; 100 B and 100 MB: ms for 500 MB in all; 8 MiB: us each",
        .baseline = "make_shared",
        .variants = {{"make_shared", "std::make_shared, no constructor", "",
                      "the object is filled with zeros first"},
                     {"make_shared_constructor", "std::make_shared, empty constructor", "", "no fill"},
                     {"make_shared_for_overwrite", "std::make_shared_for_overwrite", "", "no fill"},
                     {"linn_make_shared_for_overwrite", "linn::make_shared_for_overwrite", "linn"},
                     {"linn_recycler", "recycler acquire_shared()", "linn"},
                     {"linn_buffer_pool", "buffer_pool acquire_shared()", "linn"}},
        .comparisons = {{"linn_make_shared_for_overwrite", {"make_shared"}, "make_shared, no constructor"},
                        {"linn_recycler",
                         {"make_shared_constructor", "make_shared_for_overwrite"},
                         "for_overwrite, no fill"}},
        .remarks = {"One object after another; on all cores 500 MB each. unused: nothing is written; "
                    "memset: all of it is, behind a barrier, so that no compiler joins the two fills.",
                    "The second 100 MB object may get the memory of the first again, from a pool and "
                    "from allocators that keep so much. Fresh memory costs page faults, which hide the "
                    "fill; 8 MiB are taken again and again."},
        .phases = {{"small", "100 B"},
                   {"small_memset", "100 B and memset"},
                   {"large", "100 MB"},
                   {"large_memset", "100 MB and memset"},
                   {"large_all_cores", "100 MB and memset on all cores"},
                   {"line", "8 MiB recycled"},
                   {"line_memset", "8 MiB recycled and memset"}},
        .columns = {{"100 B", "unused", 0, figure::time, small_total},
                    {"100 B", "memset", 1, figure::time, small_total},
                    {"100 MB", "unused", 2, figure::time, large_total},
                    {"100 MB", "memset", 3, figure::time, large_total},
                    {"100 MB", "all cores", 4, figure::time, large_total},
                    {"8 MiB again", "unused", 5, figure::time, us},
                    {"8 MiB again", "memset", 6, figure::time, us},
                    {"8 MiB again", "faults", 6, figure::faults, 1, {}, 2}}};
}

scenario buffers_scenario() {
    constexpr double us = 1e-3;
    scenario s = on_grid(
        {.name = "buffers",
         .summary = "buffers of 64 KiB, 1 MiB and 8 MiB acquired, used and released",
         .operation = "buffer",
         .heading = "buffers acquired, used and released; us an operation",
         .baseline = "new_array",
         .variants = {{"new_array", "new char[n]"},
                      {"make_unique", "make_unique<char[]>(n)", "", "fills with zeros"},
                      {"make_unique_for_overwrite", "make_unique_for_overwrite"},
                      {"make_shared", "make_shared<line>()", "", "fills with zeros"},
                      {"mmap", "mmap and munmap", "mmap"},
                      {"linn_buffer_pool", "linn::buffer_pool", "linn", "acquire()"},
                      {"linn_buffer_pool_shared", "linn::buffer_pool, shared", "linn", "acquire_shared()"}},
         .comparisons = {{"linn_buffer_pool",
                          {"new_array", "make_unique_for_overwrite", "mmap"},
                          "new, for_overwrite and mmap"},
                         {"linn_buffer_pool_shared", {"make_shared"}, "make_shared<line>()"}},
         .remarks = {"Acquire and release after a warm-up, one buffer at a time; unused: nothing is "
                     "written; page: the first 4096 bytes; filled: all. faults: page faults an operation "
                     "when filled.",
                     "glibc, no trim: MALLOC_TRIM_THRESHOLD_ raised and MALLOC_MMAP_THRESHOLD_ at its "
                     "most, 32 MiB."}},
        {{"64k", "64 KiB"}, {"1m", "1 MiB"}, {"8m", "8 MiB"}},
        {{"", "unused"}, {"page", "page", 3}, {"filled", "filled"}}, us);
    s.columns.push_back({"8 MiB", "faults", s.phases.size() - 1, figure::faults});
    return s;
}

constexpr unsigned size_count = 20; // 1 B, 2 B, 4 B ... 512 KiB

/// The phase of that size and number of threads: all sizes on one thread, then all on two.
std::size_t phase_of(std::size_t bytes, unsigned threads) {
    return static_cast<std::size_t>(std::countr_zero(bytes)) + (threads - 1) * size_count;
}

std::vector<phase_info> all_phases() {
    std::vector<phase_info> phases;
    for (const unsigned threads : {1U, 2U}) {
        for (unsigned i = 0; i != size_count; ++i) {
            const std::size_t bytes = std::size_t{1} << i;
            const std::string title =
                bytes < 1'024 ? std::to_string(bytes) + " B" : std::to_string(bytes / 1'024) + " KiB";
            phases.push_back({std::to_string(bytes) + (threads == 1 ? "" : "_two"),
                              title + (threads == 1 ? "" : " on two threads"), bytes, threads});
        }
    }
    return phases;
}

constexpr double pairs = 1.048576; // from nanoseconds a pair to milliseconds for 1 048 576 pairs

column_info time_of(std::size_t bytes, unsigned threads, std::string_view title, unsigned droppable = 0) {
    return {threads == 1 ? "one thread" : "two threads",
            title,
            phase_of(bytes, threads),
            figure::time,
            pairs,
            {},
            droppable,
            1};
}

scenario sizes_scenario() {
    return {
        .name = "sizes",
        .summary = "blocks of 1 to 524288 bytes by new char[n], on one thread and on two",
        .operation = "pair",
        .heading = "a block of n bytes allocated and freed at once; ms for 1 048 576 pairs",
        .baseline = "new_delete",
        .variants = {{"new_delete", "new char[n]"},
                     {"linn_pool", "linn::pool", "linn", "objects of n bytes"},
                     {"linn_pool_resource", "linn::pool_resource", "linn", "to 128 KiB"},
                     {"linn_buffer_pool", "linn::buffer_pool", "linn", "from 64 KiB"}},
        .comparisons = {against_new("linn_pool", "new char[n]"),
                        against_new("linn_pool_resource", "new char[n]"),
                        against_new("linn_buffer_pool", "new char[n]")},
        .remarks =
            {"Allocated and freed at once, never written: what the allocator costs, not the memory. Sizes "
             "in bytes, K: KiB; of 20 sizes six are shown, --json and --csv have all, --html draws them.",
             "linn::pool holds objects of n bytes; linn::pool_resource serves up to 128 KiB itself, "
             "linn::buffer_pool is for 64 KiB and more."},
        .phases = all_phases(),
        .columns = {time_of(1, 1, "1", 5), time_of(64, 1, "64"), time_of(1'024, 1, "1K"),
                    time_of(8'192, 1, "8K"), time_of(65'536, 1, "64K"), time_of(524'288, 1, "512K"),
                    time_of(1, 2, "1", 5), time_of(64, 2, "64"), time_of(1'024, 2, "1K", 3),
                    time_of(8'192, 2, "8K", 4), time_of(65'536, 2, "64K", 3), time_of(524'288, 2, "512K")}};
}

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

} // namespace linn::tool
