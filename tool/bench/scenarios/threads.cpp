// SPDX-License-Identifier: Apache-2.0
#include "../inputs.hpp"
#include "../scenario.hpp"

#include <sched.h>

#include <array>
#include <string>
#include <vector>

namespace linn::tool {
namespace {

using namespace std::string_view_literals;

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
            "Each 500 000 "
            "rounds it ends, and a successor inherits its blocks."},
    program{"mstress", "short-lived and kept blocks that anybody may free", "block",
            "Blocks of 1 to 128 words, one in a hundred 100 times as large, filled. A quarter is kept until "
            "the thread "
            "ends; in one step of four a block is swapped with an array that all threads share."},
    program{"rptest", "1000 blocks of up to 16 000 bytes a thread, a third freed by others", "block",
            "Small sizes are more frequent. In a loop 100 scattered blocks are freed and allocated again; in "
            "every second "
            "one 100 more go to another thread."},
    program{"xmalloc-test", "producers allocate 64 bytes, consumers free them", "block",
            "Batches of 4096 blocks pass through a stack of at most 100 batches, behind a mutex. Two threads "
            "are one pair; "
            "one thread frees its batches itself."},
    program{"sh6bench", "steps of small blocks, freed in both orders", "block",
            "1 to 1000 bytes, half of them below 250; of each 64 blocks half are freed at once, the last one "
            "first, the "
            "others 128 steps later in the order of allocation."},
    program{"sh8bench", "the same, but blocks migrate between threads", "block",
            "What a thread keeps of a step it swaps for what some thread kept earlier, and frees that."},
    program{"alloc-test", "random places, small sizes far more frequent", "block",
            "16 384 places a thread, blocks of 8 to 1024 bytes; each thread frees its own."},
    program{"cache-scratch", "objects of one byte, written again and again", "write",
            "Each thread frees an object that the main thread made, then allocates one, writes it a million "
            "times and "
            "frees it: slow where two threads get neighbours."},
    program{"glibc-thread", "1024 blocks of 4 to 32 768 bytes a thread", "block",
            "How frequent a size is falls with its square; each thread frees its own."},
};

constexpr std::array variants{
    variant_info{"new_delete", "new and delete", "", ""},
    variant_info{"linn_pool", "linn::pool", "linn", "one for each of 52 sizes"},
    variant_info{"linn_pool_resource", "linn::pool_resource", "linn", ""},
};

constexpr std::array general{"new_delete"sv};

constexpr std::array comparisons{
    comparison_info{"linn_pool", general, "new on the best allocator", "new and delete"},
    comparison_info{"linn_pool_resource", general, "new on the best allocator", "new and delete"},
};

/// The phases and columns depend on the machine, so they are made once, when they are first asked for.
class group {
public:
    group() : counts_{thread_counts(cpus())} {
        for (const unsigned n : counts_) {
            names_.push_back(std::to_string(n));
            titles_.push_back(std::to_string(n) + (n == 1 ? " thread" : " threads"));
        }
        constexpr double per_million = 1e-6;
        constexpr double per_mebibyte = 1.0 / (1 << 20);
        for (std::size_t p = 0; p != counts_.size(); ++p) {
            phases_.push_back({names_[p], titles_[p], 0, counts_[p]});
            // Where the table is too wide, the memory of few threads goes first. One and two threads stay.
            const auto rank = static_cast<unsigned>(counts_.size() - p);
            columns_.push_back({titles_[p], "M/s", p, figure::rate, per_million, {}, p < 2 ? 0 : rank, 1});
            columns_.push_back({titles_[p], "MiB", p, figure::memory, per_mebibyte, "peak_rss_bytes",
                                p == 1 ? 0 : 100 + rank});
        }
        remarks_.reserve(programs.size());
        for (const program& p : programs) {
            remarks_.push_back({p.remark, "M/s: millions of blocks (cache-scratch: writes) a second, of all "
                                          "threads together; MiB: peak "
                                          "resident size of a process that did nothing else."sv});
            scenarios_.push_back({.name = p.name,
                                  .summary = p.summary,
                                  .operation = p.operation,
                                  .phases = phases_,
                                  .variants = variants,
                                  .baseline = "new_delete",
                                  .heading = p.summary,
                                  .columns = columns_,
                                  .remarks = remarks_.back(),
                                  .comparisons = comparisons,
                                  .touched_mib = 64,
                                  .group = "threads",
                                  .usual_seconds = 0.4});
        }
    }
    group(const group&) = delete;
    group& operator=(const group&) = delete;

    const std::vector<scenario>& scenarios() const noexcept { return scenarios_; }

private:
    /// On which a process may run; the worker inherits them.
    static unsigned cpus() {
        cpu_set_t set;
        CPU_ZERO(&set);
        const bool known = ::sched_getaffinity(0, sizeof set, &set) == 0;
        return known && CPU_COUNT(&set) > 0 ? static_cast<unsigned>(CPU_COUNT(&set)) : 1;
    }

    std::vector<unsigned> counts_;
    std::vector<std::string> names_;
    std::vector<std::string> titles_;
    std::vector<phase_info> phases_;
    std::vector<column_info> columns_;
    std::vector<std::array<std::string_view, 2>> remarks_;
    std::vector<scenario> scenarios_;
};

} // namespace

std::vector<scenario> threads_scenarios() {
    static const group all; // what the scenarios view
    return all.scenarios();
}

} // namespace linn::tool
