// SPDX-License-Identifier: Apache-2.0
#include "../scenario.hpp"

namespace linn::tool {

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
