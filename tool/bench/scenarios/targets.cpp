// SPDX-License-Identifier: Apache-2.0
#include "../scenario.hpp"
#include "phase_grid.hpp"

#include <array>
#include <vector>

namespace linn::tool {
namespace {

constexpr variant_info general{"new_delete", "new and delete"};
constexpr variant_info pool{"linn_pool", "linn::pool", "linn"};
constexpr variant_info resource{"linn_pool_resource", "linn::pool_resource", "linn"};
constexpr variant_info free_list{"free_list", "free list", "free-list", "one thread's, without a lock"};

constexpr std::string_view general_rival[]{"new_delete"};
constexpr std::string_view free_list_rival[]{"free_list"};
constexpr std::string_view best_allocator = "new on the best allocator";
constexpr comparison_info pool_by_general{"linn_pool", general_rival, best_allocator, "new and delete"};
constexpr comparison_info resource_by_general{"linn_pool_resource", general_rival, best_allocator,
                                              "new and delete"};

scenario on_grid(const phase_grid& grid, scenario s) {
    s.phases = grid.phases();
    s.columns = grid.columns();
    return s;
}

const phase_grid& live_grid() {
    static const phase_grid grid{{{"", "live at once"}},
                                 {{"1", "1"},
                                  {"8", "8"},
                                  {"100", "100"},
                                  {"1000", "1000", 4},
                                  {"10000", "10 000"},
                                  {"100000", "100 000", 3},
                                  {"1000000", "1 M"}}};
    return grid;
}

scenario pairs_scenario() {
    static constexpr std::array variants{
        general, free_list,
        variant_info{"array", "array of pointers", "floor", "the floor: never full, never checked"}, pool};
    static constexpr std::array comparisons{
        pool_by_general, comparison_info{"linn_pool", free_list_rival, "a free list", "free list"}};
    static constexpr std::string_view remarks[]{
        "Objects of 64 bytes, so many at once, freed in the order of allocation; nothing touches them. The "
        "array of pointers is no rival, only the least that a pool of pointers can cost."};
    return on_grid(
        live_grid(),
        {.name = "pairs",
         .summary = "an object of 64 bytes allocated and freed, by the number live at once",
         .operation = "pair",
         .variants = variants,
         .baseline = "new_delete",
         .heading = "objects of 64 bytes allocated, then freed, by the number live at once; ns a pair",
         .remarks = remarks,
         .comparisons = comparisons,
         .touched_mib = 192,
         .usual_seconds = 0.3});
}

scenario pairs_shared_scenario() {
    static constexpr std::array variants{
        general,
        pool,
        variant_info{"linn_pool_call", "linn::pool, not inlined", "linn", "every operation behind a call"},
        variant_info{"linn_view", "linn::pool, on_this_thread()", "linn", "looked up once for the loop"},
        variant_info{"linn_initial_exec", "linn::pool, initial-exec", "linn", "LINN_INITIAL_EXEC"},
        variant_info{"linn_descriptor", "linn::pool, gnu2", "linn", "-mtls-dialect=gnu2"},
        variant_info{"linn_descriptor_call", "linn::pool, gnu2, not inlined", "linn"}};
    static constexpr std::array comparisons{
        pool_by_general, comparison_info{"linn_view", general_rival, best_allocator, "new and delete"},
        comparison_info{"linn_initial_exec", general_rival, best_allocator, "new and delete"},
        comparison_info{"linn_descriptor", general_rival, best_allocator, "new and delete"}};
    static constexpr std::string_view remarks[]{
        "The loop and all that it calls is in a shared library (-fPIC), new and delete too. There each "
        "access to something thread-local may be a call of __tls_get_addr; the rows differ in how they avoid "
        "it."};
    return on_grid(live_grid(),
                   {.name = "pairs-shared",
                    .summary = "the same in a shared library, where each thread-local address may be a call",
                    .operation = "pair",
                    .variants = variants,
                    .baseline = "new_delete",
                    .heading = "objects of 64 bytes allocated, then freed, in a shared library; ns a pair",
                    .remarks = remarks,
                    .comparisons = comparisons,
                    .touched_mib = 192,
                    .usual_seconds = 0.3,
                    .worker = "linn-bench-shared-worker"});
}

scenario bursts_scenario() {
    static const phase_grid grid{{{"", "in a burst"}},
                                 {{"8", "8"},
                                  {"32", "32"},
                                  {"64", "64", 3},
                                  {"128", "128", 4},
                                  {"256", "256"},
                                  {"1024", "1024", 3},
                                  {"16384", "16 384"}}};
    static constexpr std::array variants{general, variant_info{"linn_pool", "linn::pool, one by one", "linn"},
                                         variant_info{"linn_allocate_n", "linn::pool, allocate_n", "linn"}};
    static constexpr std::string_view by_loop[]{"linn_pool"};
    static constexpr std::array comparisons{
        comparison_info{"linn_allocate_n", general_rival, best_allocator, "new and delete"},
        comparison_info{"linn_allocate_n", by_loop, "single calls to the same pool", "one by one"}};
    static constexpr std::string_view remarks[]{
        "allocate_n and deallocate_n take and return a whole burst by one call."};
    return on_grid(
        grid, {.name = "bursts",
               .summary = "what allocate_n and deallocate_n save over single calls",
               .operation = "object",
               .variants = variants,
               .baseline = "new_delete",
               .heading = "a burst of objects of 64 bytes allocated, then freed, by its length; ns an object",
               .remarks = remarks,
               .comparisons = comparisons,
               .touched_mib = 16,
               .usual_seconds = 0.3});
}

scenario scattered_scenario() {
    static const phase_grid grid{
        {{}}, {{"free", "freed at random"}, {"again", "allocated again"}, {"again_written", "and written"}}};
    static constexpr std::array variants{general, free_list, pool};
    static constexpr std::array comparisons{
        pool_by_general, comparison_info{"linn_pool", free_list_rival, "a free list", "free list"}};
    static constexpr std::array remarks{nothing_walks};
    return on_grid(
        grid,
        {.name = "scattered",
         .summary = "200 000 objects freed in random order, then allocated again",
         .operation = "object",
         .variants = variants,
         .baseline = "new_delete",
         .heading = "200 000 objects of 64 bytes freed in random order, then allocated again; ns an object",
         .remarks = remarks,
         .comparisons = comparisons,
         .touched_mib = 32,
         .usual_seconds = 0.3});
}

scenario live_sets_scenario() {
    static const phase_grid grid{
        {{"16_order", "16 B in order", 5},
         {"16_random", "16 B at random", 5},
         {"64_order", "64 B in order"},
         {"64_random", "64 B at random"},
         {"256_order", "256 B in order", 6},
         {"256_random", "256 B at random", 6}},
        {{"3000", "3K"}, {"10000", "10K", 3}, {"30000", "30K"}, {"100000", "100K", 2}, {"1000000", "1M"}}};
    static constexpr std::array variants{general, pool, resource};
    static constexpr std::array comparisons{pool_by_general, resource_by_general};
    static constexpr std::string_view remarks[]{
        "All objects of a set are allocated and written, then freed, in the order of allocation or at "
        "random; columns: objects in the set. --json and --csv have all sizes.",
        nothing_walks};
    return on_grid(grid, {.name = "live-sets",
                          .summary = "sets of 3000 to a million objects filled, written and emptied",
                          .operation = "pair",
                          .variants = variants,
                          .baseline = "new_delete",
                          .heading = "live sets filled, written and emptied; ns a pair",
                          .remarks = remarks,
                          .comparisons = comparisons,
                          .touched_mib = 384,
                          .usual_seconds = 2});
}

scenario scaling_scenario() {
    static const phase_grid grid{{{"1", "1 thread"},
                                  {"2", "2 threads"},
                                  {"4", "4 threads", 3},
                                  {"8", "8 threads", 5},
                                  {"16", "16 threads", 4}},
                                 {{"hot", "pair"}, {"batch", "batch"}, {"hand_over", "handed"}}};
    static constexpr std::array variants{general, pool};
    static constexpr std::array comparisons{pool_by_general};
    static constexpr std::string_view remarks[]{
        "pair: an object allocated and freed at once; batch: 1000 allocated, then freed; handed: the next "
        "thread frees the batch. ns of a core, so a flat row scales perfectly, also where threads outnumber "
        "cores."};
    return on_grid(
        grid, {.name = "scaling",
               .summary = "pairs, batches, and batches handed to the next thread, with 1 to 16 threads",
               .operation = "pair",
               .variants = variants,
               .baseline = "new_delete",
               .heading = "objects of 64 bytes allocated and freed by 1 to 16 threads; ns of a core a pair",
               .remarks = remarks,
               .comparisons = comparisons,
               .touched_mib = 32,
               .usual_seconds = 1});
}

scenario footprint_scenario() {
    static constexpr std::array phases{phase_info{"live", "all live"}, phase_info{"freed", "all freed"},
                                       phase_info{"trimmed", "trimmed"}};
    constexpr double per_kibibyte = 1.0 / 1'024;
    static constexpr std::array columns{
        column_info{"KiB", "live", 0, figure::memory, per_kibibyte, "anonymous_bytes"},
        column_info{"KiB", "freed", 1, figure::memory, per_kibibyte, "anonymous_bytes"},
        column_info{"KiB", "trimmed", 2, figure::memory, per_kibibyte, "anonymous_bytes"},
        column_info{"of payload", "live", 0, figure::metric, 100, "of_payload"},
        column_info{"of payload", "freed", 1, figure::metric, 100, "of_payload"},
        column_info{"of payload", "trimmed", 2, figure::metric, 100, "of_payload"},
        column_info{"ns an object", "live", 0},
        column_info{"ns an object", "freed", 1},
        column_info{"ns an object", "trimmed", 2},
    };
    static constexpr std::array variants{general, pool};
    static constexpr std::array comparisons{pool_by_general};
    static constexpr std::string_view remarks[]{
        "A million objects of 24 bytes (23 438 KiB) allocated and written, all freed, and memory given back: "
        "pool::trim(), malloc_trim, mallctl arena.purge, mi_collect, MallocExtension_ReleaseFreeMemory or "
        "scalable_allocation_command. Memory: what the process wrote, Anonymous of smaps_rollup."};
    return {.name = "footprint",
            .summary = "what a million objects of 24 bytes occupy, and what stays when they are gone",
            .operation = "object",
            .phases = phases,
            .variants = variants,
            .baseline = "new_delete",
            .heading = "memory of a million objects of 24 bytes, live, freed and trimmed",
            .columns = columns,
            .remarks = remarks,
            .comparisons = comparisons,
            .touched_mib = 64,
            .usual_seconds = 0.15};
}

scenario recycled_scenario() {
    static const phase_grid grid{
        {{"single", "one thread"}, {"multi", "and an idle one", 3}, {"two", "two threads"}},
        {{"1500", "1500 B"}, {"400", "400 B"}}};
    static constexpr std::array variants{
        variant_info{"make_shared", "std::make_shared"},
        variant_info{"control_block", "control block alone", "floor",
                     "the floor: one object, one place for the block"},
        variant_info{"linn_recycler_shared", "recycler acquire_shared()", "linn"},
        variant_info{"linn_recycler_filled", "the same, buffers filled again", "linn"},
        variant_info{"linn_recycler", "recycler acquire(), unique", "linn"},
        variant_info{"linn_allocate_shared", "allocate_shared, linn::allocator", "linn"},
    };
    static constexpr std::string_view made[]{"make_shared"};
    static constexpr std::array comparisons{comparison_info{
        "linn_recycler_shared", made, "std::make_shared on the best allocator", "std::make_shared"}};
    static constexpr std::string_view remarks[]{
        "A shared object that owns a filled vector (1500 or 400 bytes) and a filled string (100) is made and "
        "let go. The control block is what std::shared_ptr itself costs, without any allocation."};
    return on_grid(
        grid, {.name = "recycled",
               .summary = "a shared object that owns a vector and a string, made and let go",
               .operation = "object",
               .variants = variants,
               .baseline = "make_shared",
               .heading = "a shared object that owns a vector and a string made and let go; ns an object",
               .remarks = remarks,
               .comparisons = comparisons,
               .touched_mib = 16,
               .usual_seconds = 0.15});
}

scenario buffers_held_scenario() {
    static const phase_grid grid = [] {
        phase_grid g{{{"one", "one"},
                      {"four", "four at a time"},
                      {"one_two", "one, two threads"},
                      {"four_two", "four, two threads"}},
                     {{"64k", "64K"},
                      {"128k", "128K", 2},
                      {"256k", "256K", 3},
                      {"512k", "512K", 2},
                      {"1m", "1M", 4},
                      {"8m", "8M"}}};
        g.add_phase(
            "four_filled_8m", "8M, four filled", 0, 1,
            {{"four filled", "8M us", 0, figure::time, 1e-3}, {"four filled", "faults", 0, figure::faults}});
        return g;
    }();
    static constexpr std::array variants{variant_info{"new_array", "new char[n]"},
                                         variant_info{"linn_buffer_pool", "linn::buffer_pool", "linn",
                                                      "acquire(), one pool for both threads"}};
    static constexpr std::string_view arrays[]{"new_array"};
    static constexpr std::array comparisons{
        comparison_info{"linn_buffer_pool", arrays, best_allocator, "new char[n]"}};
    static constexpr std::string_view remarks[]{
        "Nothing is written except in the last two columns. A second thread always exists, so that the C "
        "library locks as in any program with threads."};
    return on_grid(grid,
                   {.name = "buffers-held",
                    .summary = "buffers of 64 KiB to 8 MiB, one or four at a time, on one thread and on two",
                    .operation = "buffer",
                    .variants = variants,
                    .baseline = "new_array",
                    .heading = "buffers acquired and released, one or four at a time; ns a buffer",
                    .remarks = remarks,
                    .comparisons = comparisons,
                    .touched_mib = 128,
                    .usual_seconds = 0.6});
}

scenario containers_shuffled_scenario() {
    static const phase_grid grid{{{"set_10k", "set 10K", 5},
                                  {"map_10k", "map 10K", 5},
                                  {"list_10k", "list 10K", 5},
                                  {"set_100k", "set 100K", 6},
                                  {"map_100k", "map 100K", 6},
                                  {"list_100k", "list 100K", 6},
                                  {"set_1m", "set 1M"},
                                  {"map_1m", "map 1M"},
                                  {"list_1m", "list 1M"}},
                                 {{"insert", "insert"}, {"erase", "erase"}, {"again", "again"}}};
    static constexpr std::array variants{variant_info{"general", "std::allocator"},
                                         variant_info{"pmr_unsynchronized", "pmr unsynchronized",
                                                      "pmr-unsynchronized", "one a kind of container"},
                                         variant_info{"linn", "linn::allocator", "linn"}};
    static constexpr std::string_view others[]{"general", "pmr_unsynchronized"};
    static constexpr std::array comparisons{comparison_info{"linn", others, "the best other", "all others"}};
    static constexpr std::string_view remarks[]{
        "set: unordered_set<int>; map: map<int, int>; list: list<int>. Each kind and size has a process of "
        "its own. The first insertion includes the first touch of every page; below a million it is the "
        "median of several containers.",
        nothing_walks};
    return on_grid(grid,
                   {.name = "containers-shuffled",
                    .summary = "unordered_set, map and list, erased in random order",
                    .operation = "operation",
                    .variants = variants,
                    .baseline = "general",
                    .heading = "integers inserted, erased in random order, inserted again; ns an operation",
                    .remarks = remarks,
                    .comparisons = comparisons,
                    .touched_mib = 192,
                    .usual_seconds = 4});
}

scenario pmr_blocks_scenario() {
    static const phase_grid grid{{{}},
                                 {{"one", "one"},
                                  {"1000", "1000 live"},
                                  {"100k", "100K live"},
                                  {"one_two", "one, two thr."},
                                  {"1000_two", "1000, two thr.", 3},
                                  {"100k_two", "100K, two thr."},
                                  {"short_lived", "map of 100", 2}}};
    static constexpr std::array variants{
        variant_info{"new_delete", "new_delete_resource"},
        variant_info{"unsynchronized", "unsynchronized_pool", "pmr-unsynchronized", "one a thread"},
        variant_info{"synchronized", "synchronized_pool", "pmr-synchronized"}, resource,
        variant_info{"linn_over_new", "the same over new_delete", "linn", "slabs from new and delete"}};
    static constexpr std::string_view unsynchronized[]{"unsynchronized"};
    static constexpr std::string_view synchronized_pool[]{"synchronized"};
    static constexpr std::array comparisons{
        comparison_info{"linn_pool_resource", general_rival, "new_delete_resource on the best allocator",
                        "new_delete_resource"},
        comparison_info{"linn_pool_resource", unsynchronized, "unsynchronized_pool_resource",
                        "unsynchronized_pool"},
        comparison_info{"linn_pool_resource", synchronized_pool, "synchronized_pool_resource",
                        "synchronized_pool"}};
    static constexpr std::string_view remarks[]{
        "Blocks of 8 to 2047 bytes, 70 % of them below 96, by the number live; freed in the order of "
        "allocation. map of 100: a resource is made, a map filled from it, and both let go; ns an element.",
        nothing_walks};
    return on_grid(grid,
                   {.name = "pmr-blocks",
                    .summary = "blocks of mixed sizes over memory resources, and resources that live shortly",
                    .operation = "block",
                    .variants = variants,
                    .baseline = "new_delete",
                    .heading = "blocks of mixed sizes over memory resources, by the number live; ns a block",
                    .remarks = remarks,
                    .comparisons = comparisons,
                    .touched_mib = 64,
                    .usual_seconds = 0.3});
}

} // namespace

std::vector<scenario> targets_scenarios() {
    return {pairs_scenario(),
            pairs_shared_scenario(),
            bursts_scenario(),
            scattered_scenario(),
            live_sets_scenario(),
            recycled_scenario(),
            containers_shuffled_scenario(),
            pmr_blocks_scenario(),
            buffers_held_scenario(),
            footprint_scenario(),
            scaling_scenario()};
}

} // namespace linn::tool
