// SPDX-License-Identifier: Apache-2.0
#include "../scenario.hpp"

#include <array>

namespace linn::tool {

scenario headline_scenario() {
    static constexpr std::array phases{
        phase_info{"hot", "new/delete 64 B, hot"},
        phase_info{"million", "new/delete 64 B, a million live"},
        phase_info{"shared_hot", "make_shared 1.5 KB, hot"},
        phase_info{"shared_burst", "make_shared 1.5 KB, bursts"},
        phase_info{"set", "unordered_set, 100 000 ints"},
        phase_info{"reuse", "list of 30 000 nodes, reused"},
        phase_info{.name = "buffer_shared", .title = "8 MiB buffer, make_shared", .saves = "no zero fill"},
        phase_info{"buffer_new", "8 MiB buffer, new char[n]"},
        phase_info{.name = "two_hot", .title = "2 threads: new/delete 64 B, hot", .threads = 2},
        phase_info{.name = "two_remote", .title = "2 threads: freed by the other", .threads = 2},
        phase_info{.name = "two_burst", .title = "2 threads: make_shared, bursts", .threads = 2},
        phase_info{.name = "two_set", .title = "2 threads: unordered_set", .threads = 2},
    };
    static constexpr std::array columns{
        column_info{"new/delete 64 B", "hot", 0},
        column_info{"new/delete 64 B", "million", 1},
        column_info{"make_shared", "hot", 2},
        column_info{"make_shared", "bursts", 3},
        column_info{"", "set", 4},
        column_info{"", "reuse", 5},
        column_info{"8 MiB", "shared", 6},
        column_info{"8 MiB", "new", 7},
        column_info{"two threads", "hot", 8},
        column_info{"two threads", "remote", 9},
        column_info{"two threads", "bursts", 10},
        column_info{"two threads", "set", 11},
    };
    static constexpr std::array variants{
        variant_info{"usual", "new, make_shared, containers"},
        variant_info{"linn", "Linn's pools", "linn"},
    };
    static constexpr std::string_view usual_ways[]{"usual"};
    static constexpr std::array comparisons{
        comparison_info{"linn", usual_ways, "the best general allocator", "general allocators"}};
    static constexpr std::string_view remarks[]{
        "hot: each object is freed before the next is allocated; bursts: 256 live, then all destroyed; "
        "million: all are live, then freed in the order of allocation; set: an integer inserted and erased, "
        "of 10 000 with two threads; reuse: a list is built, walked and freed in random order, in memory "
        "that is used again.",
        "freed by the other: two threads allocate 256 objects each and free those of the other.",
        "8 MiB: acquired and released, nothing is written. make_shared fills the buffer with zeros; "
        "linn::buffer_pool does not.",
    };
    return {.name = headline_name,
            .summary = "twelve tests from the other scenarios; the default",
            .operation = "operation",
            .phases = phases,
            .variants = variants,
            .baseline = "usual",
            .heading = "nanoseconds an operation",
            .columns = columns,
            .remarks = remarks,
            .comparisons = comparisons,
            .touched_mib = 80,
            .usual_seconds = 0.5,
            .worker = "linn-bench-headline"};
}

} // namespace linn::tool
