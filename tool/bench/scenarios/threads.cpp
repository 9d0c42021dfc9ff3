// SPDX-License-Identifier: Apache-2.0
#include "../../measure/machine.hpp"
#include "../scenario.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace linn::tool {
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
    program{"mstress", "short-lived and kept blocks that anybody may free", "block",
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
             .columns = columns,
             .touched_mib = 64,
             .usual_seconds = 0.4});
    }
    return list;
}

} // namespace linn::tool
