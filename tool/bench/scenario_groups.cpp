// SPDX-License-Identifier: Apache-2.0
#include "../measure/machine.hpp"
#include "scenario.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace linn::tool {

namespace {

constexpr variant_info general{"new_delete", "new and delete"};
constexpr variant_info pool{"linn_pool", "linn::pool", "linn"};
constexpr variant_info resource{"linn_pool_resource", "linn::pool_resource", "linn"};
constexpr variant_info free_list{"free_list", "free list", "free-list", "one thread's, without a lock"};

comparison_info against_free_list() {
    return {"linn_pool", {"free_list"}, "a free list"};
}

/// The scenario with a phase for each number of objects that live at once.
scenario by_live_objects(scenario s) {
    return on_grid(std::move(s), {{"", "live at once"}},
                   {{"1", "1"},
                    {"8", "8"},
                    {"100", "100"},
                    {"1000", "1000", 4},
                    {"10000", "10 000"},
                    {"100000", "100 000", 3},
                    {"1000000", "1 M"}});
}

scenario pairs_scenario() {
    return by_live_objects(
        {.name = "pairs",
         .summary = "an object of 64 bytes allocated and freed, by the number live at once",
         .operation = "pair",
         .heading = "objects of 64 bytes allocated, then freed, by the number live at once; ns a pair",
         .baseline = "new_delete",
         .variants = {general,
                      free_list,
                      {"array", "array of pointers", "floor", "the floor: never full, never checked"},
                      pool},
         .comparisons = {against_new("linn_pool"), against_free_list()},
         .remarks = {"Objects of 64 bytes, so many at once, freed in the order of allocation; nothing "
                     "touches them. The array of pointers is no rival, only the least that a pool of "
                     "pointers can cost."}});
}

scenario pairs_shared_scenario() {
    return by_live_objects(
        {.name = "pairs-shared",
         .summary = "the same in a shared library, where each thread-local address may be a call",
         .operation = "pair",
         .heading = "objects of 64 bytes allocated, then freed, in a shared library; ns a pair",
         .baseline = "new_delete",
         .variants = {general,
                      pool,
                      {"linn_pool_call", "linn::pool, not inlined", "linn", "every operation behind a call"},
                      {"linn_view", "linn::pool, on_this_thread()", "linn", "looked up once for the loop"},
                      {"linn_initial_exec", "linn::pool, initial-exec", "linn", "LINN_INITIAL_EXEC"},
                      {"linn_descriptor", "linn::pool, gnu2", "linn", "-mtls-dialect=gnu2"},
                      {"linn_descriptor_call", "linn::pool, gnu2, not inlined", "linn"}},
         .comparisons = {against_new("linn_pool"), against_new("linn_view"), against_new("linn_initial_exec"),
                         against_new("linn_descriptor")},
         .remarks = {"The loop and all that it calls is in a shared library (-fPIC), new and delete too. "
                     "There each access to something thread-local may be a call of __tls_get_addr; the rows "
                     "differ in how they avoid it."}});
}

scenario scattered_scenario() {
    return on_grid(
        {.name = "scattered",
         .summary = "200 000 objects freed in random order, then allocated again",
         .operation = "object",
         .heading = "200 000 objects of 64 bytes freed in random order, then allocated again; ns an object",
         .baseline = "new_delete",
         .variants = {general, free_list, pool},
         .comparisons = {against_new("linn_pool"), against_free_list()},
         .remarks = {nothing_walks}},
        {{}}, {{"free", "freed at random"}, {"again", "allocated again"}, {"again_written", "and written"}});
}

scenario live_sets_scenario() {
    return on_grid(
        {.name = "live-sets",
         .summary = "sets of 3000 to a million objects filled, written and emptied",
         .operation = "pair",
         .heading = "live sets filled, written and emptied; ns a pair",
         .baseline = "new_delete",
         .variants = {general, {"new_delete_resource", "std::pmr::new_delete_resource"}, pool, resource},
         .comparisons = {against_new("linn_pool"),
                         {"linn_pool_resource", {"new_delete_resource"}, "new_delete_resource"}},
         .remarks = {"All objects of a set are allocated and written, then freed, in the order of allocation "
                     "or at random; columns: objects in the set. --json and --csv have all sizes.",
                     nothing_walks}},
        {{"16_order", "16 B in order", 5},
         {"16_random", "16 B at random", 5},
         {"64_order", "64 B in order"},
         {"64_random", "64 B at random"},
         {"256_order", "256 B in order", 6},
         {"256_random", "256 B at random", 6}},
        {{"3000", "3K"}, {"10000", "10K", 3}, {"30000", "30K"}, {"100000", "100K", 2}, {"1000000", "1M"}});
}

scenario scaling_scenario() {
    return on_grid(
        {.name = "scaling",
         .summary = "pairs, batches, and batches handed to the next thread, with 1 to 16 threads",
         .operation = "pair",
         .heading = "objects of 64 bytes allocated and freed by 1 to 16 threads; ns of a core a pair",
         .baseline = "new_delete",
         .variants = {general, pool},
         .comparisons = {against_new("linn_pool")},
         .remarks =
             {"pair: an object allocated and freed at once; batch: 1000 allocated, then freed; handed: "
              "the next thread frees the batch. ns of a core, so a flat row scales perfectly, also "
              "where threads outnumber cores."}},
        {{"1", "1 thread"},
         {"2", "2 threads"},
         {"4", "4 threads", 3},
         {"8", "8 threads", 5},
         {"16", "16 threads", 4}},
        {{"hot", "pair"}, {"batch", "batch"}, {"hand_over", "handed"}});
}

scenario footprint_scenario() {
    constexpr double per_kibibyte = 1.0 / 1'024;
    return {.name = "footprint",
            .summary = "what a million objects of 24 bytes occupy, and what stays when they are gone",
            .operation = "object",
            .heading = "memory of a million objects of 24 bytes, live, freed and trimmed",
            .baseline = "new_delete",
            .variants = {general, pool},
            .comparisons = {against_new("linn_pool")},
            .remarks = {"A million objects of 24 bytes (23 438 KiB) allocated and written, all freed, and "
                        "memory given back: pool::trim(), malloc_trim, mallctl arena.purge, mi_collect, "
                        "MallocExtension_ReleaseFreeMemory or scalable_allocation_command. Memory: what the "
                        "process wrote, Anonymous of smaps_rollup."},
            .phases = {{"live", "all live"}, {"freed", "all freed"}, {"trimmed", "trimmed"}},
            .columns = {{"KiB", "live", 0, figure::memory, per_kibibyte, "anonymous_bytes"},
                        {"KiB", "freed", 1, figure::memory, per_kibibyte, "anonymous_bytes"},
                        {"KiB", "trimmed", 2, figure::memory, per_kibibyte, "anonymous_bytes"},
                        {"of payload", "live", 0, figure::metric, 100, "of_payload"},
                        {"of payload", "freed", 1, figure::metric, 100, "of_payload"},
                        {"of payload", "trimmed", 2, figure::metric, 100, "of_payload"},
                        {"ns an object", "live", 0},
                        {"ns an object", "freed", 1},
                        {"ns an object", "trimmed", 2}}};
}

scenario recycled_scenario() {
    return on_grid(
        {.name = "recycled",
         .summary = "a shared object that owns a vector and a string, made and let go",
         .operation = "object",
         .heading = "a shared object that owns a vector and a string made and let go; ns an object",
         .baseline = "make_shared",
         .variants = {{"make_shared", "std::make_shared"},
                      {"control_block", "control block alone", "floor",
                       "the floor: one object, one place for the block"},
                      {"linn_recycler_shared", "recycler acquire_shared()", "linn"},
                      {"linn_recycler_filled", "the same, buffers filled again", "linn"},
                      {"linn_recycler", "recycler acquire(), unique", "linn"},
                      {"linn_allocate_shared", "allocate_shared, linn::allocator", "linn"}},
         .comparisons = {{"linn_recycler_shared", {"make_shared"}, "std::make_shared"}},
         .remarks =
             {"A shared object that owns a filled vector (1500 or 400 bytes) and a filled string (100) "
              "is made and let go. The control block is what std::shared_ptr itself costs, without "
              "any allocation."}},
        {{"single", "one thread"}, {"multi", "and an idle one", 3}, {"two", "two threads"}},
        {{"1500", "1500 B"}, {"400", "400 B"}});
}

scenario containers_shuffled_scenario() {
    return on_grid(
        {.name = "containers-shuffled",
         .summary = "unordered_set, map and list, erased in random order",
         .operation = "operation",
         .heading = "integers inserted, erased in random order, inserted again; ns an operation",
         .baseline = "general",
         .variants = {{"general", "std::allocator"},
                      {"pmr_unsynchronized", "pmr unsynchronized", "pmr-unsynchronized",
                       "one a kind of container"},
                      {"linn", "linn::allocator", "linn"}},
         .comparisons = {{"linn", {"general", "pmr_unsynchronized"}, "all others"}},
         .remarks = {"set: unordered_set<int>; map: map<int, int>; list: list<int>. Each kind and size has a "
                     "process of its own. The first insertion includes the first touch of every page; below "
                     "a million it is the median of several containers.",
                     nothing_walks}},
        {{"set_10k", "set 10K", 5},
         {"map_10k", "map 10K", 5},
         {"list_10k", "list 10K", 5},
         {"set_100k", "set 100K", 6},
         {"map_100k", "map 100K", 6},
         {"list_100k", "list 100K", 6},
         {"set_1m", "set 1M"},
         {"map_1m", "map 1M"},
         {"list_1m", "list 1M"}},
        {{"insert", "insert"}, {"erase", "erase"}, {"again", "again"}});
}

} // namespace

std::vector<scenario> targets_scenarios() {
    return {pairs_scenario(),      pairs_shared_scenario(), scattered_scenario(),
            live_sets_scenario(),  recycled_scenario(),     containers_shuffled_scenario(),
            pmr_blocks_scenario(), footprint_scenario(),    scaling_scenario()};
}

namespace {

/// What the programs of the group do not have in common.
struct program {
    std::string_view name;
    std::string_view summary;
    std::string_view operation;
    std::string_view remark;
};

constexpr std::array programs{
    program{"larson", "threads that come and go free what dead threads left", "block",
            "Each thread has 5000 blocks of 8 to 1000 bytes; it frees one at random and allocates another. "
            "Each 500 000 rounds it ends, and a successor inherits its blocks."},
    program{"mstress", "short-lived and kept blocks that any thread may free", "block",
            "Blocks of 1 to 128 words, one in a hundred 100 times as large, filled. A quarter is kept until "
            "the thread ends; in one step of four a block is swapped with an array that all threads share."},
    program{"rptest", "1000 blocks of up to 16 000 bytes a thread, a third freed by others", "block",
            "Small sizes are more frequent. In a loop 100 scattered blocks are freed and allocated again; in "
            "every second one 100 more go to another thread."},
    program{"xmalloc-test", "producers allocate 64 bytes, consumers free them", "block",
            "Batches of 4096 blocks pass through a stack of at most 100 batches, behind a mutex. Two threads "
            "are one pair; one thread frees its batches itself."},
    program{"sh6bench", "steps of small blocks, freed in both orders", "block",
            "1 to 1000 bytes, half of them below 250; of each 64 blocks half are freed at once, the last one "
            "first, the others 128 steps later in the order of allocation."},
    program{"sh8bench", "the same, but blocks migrate between threads", "block",
            "What a thread keeps of a step it swaps for what some thread kept earlier, and frees that."},
    program{"alloc-test", "random places, small sizes far more frequent", "block",
            "16 384 places a thread, blocks of 8 to 1024 bytes; each thread frees its own."},
    program{"cache-scratch", "objects of one byte, written again and again", "write",
            "Each thread frees an object that the main thread made, then allocates one, writes it a million "
            "times and frees it: slow where two threads get neighbours."},
    program{"glibc-thread", "1024 blocks of 4 to 32 768 bytes a thread", "block",
            "How frequent a size is falls with its square; each thread frees its own."},
};

} // namespace

std::vector<scenario> threads_scenarios() {
    constexpr double per_million = 1e-6;
    constexpr double per_mebibyte = 1.0 / (1 << 20);
    std::vector<phase_info> phases;
    std::vector<column_info> columns;
    const std::vector<unsigned> counts =
        thread_counts(std::max(1U, static_cast<unsigned>(usable_cpus().size())));
    for (std::size_t p = 0; p != counts.size(); ++p) {
        const std::string n = std::to_string(counts[p]);
        const std::string title = n + (counts[p] == 1 ? " thread" : " threads");
        // Where the table is too wide, the memory of few threads goes first. One and two threads stay.
        const auto rank = static_cast<unsigned>(counts.size() - p);
        columns.push_back({title, "M/s", p, figure::rate, per_million, {}, p < 2 ? 0 : rank, 1});
        columns.push_back(
            {title, "MiB", p, figure::memory, per_mebibyte, "peak_rss_bytes", p == 1 ? 0 : 100 + rank});
        phases.push_back({n, title, 0, counts[p]});
    }
    std::vector<scenario> list;
    for (const program& p : programs) {
        list.push_back(
            {.name = p.name,
             .summary = p.summary,
             .operation = p.operation,
             .heading = p.summary,
             .baseline = "new_delete",
             .variants = {{"new_delete", "new and delete"},
                          {"linn_pool", "linn::pool", "linn", "one for each of 52 sizes"},
                          {"linn_pool_resource", "linn::pool_resource", "linn"}},
             .comparisons = {against_new("linn_pool"), against_new("linn_pool_resource")},
             .remarks = {p.remark, "M/s: millions of blocks (cache-scratch: writes) a second, of all threads "
                                   "together; MiB: peak resident size of a process that did nothing else."},
             .phases = phases,
             .columns = columns});
    }
    return list;
}

} // namespace linn::tool
