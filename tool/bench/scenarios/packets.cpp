// SPDX-License-Identifier: Apache-2.0
#include "../scenario.hpp"

namespace linn::tool {

scenario shared_ptr_scenario() {
    constexpr std::string_view platforms =
        "GCC 4.8.5 on CentOS 6.2 / VS2017 x64 / VS2017 with its header repaired";
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
            .comparisons = {{"linn_make_shared",
                             {"make_shared", "shared_ptr_with_new"},
                             "std::make_shared on the best allocator",
                             "std::make_shared"},
                            {"linn_make_shared",
                             {"shared_ptr_with_pool", "allocate_shared", "allocate_shared_spin"},
                             "a shared_ptr from the best locked pool",
                             "shared_ptr, locked pools"},
                            {"linn_pool",
                             {"new_delete", "pool", "pool_spin"},
                             "the best raw allocation",
                             "raw: new, locked pools"}},
            .remarks = {"hot: one packet at a time; burst: 256 live, then all destroyed; faults: page faults "
                        "an operation in bursts. An idle second thread makes glibc lock and std::shared_ptr "
                        "count atomically.",
                        "glibc, no trim: MALLOC_TRIM_THRESHOLD_ raised. What glibc gains there is heap given "
                        "back to the system and fetched again, not the price of allocating.",
                        "published: GCC 4.8.5 on CentOS 6.2 / VS2017 x64 / VS2017 with its header repaired; "
                        "the unit was not stated, so compare ratios.",
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
                        {"two threads", "faults", 5, figure::faults, 1, {}, 2}},
            // By platform, not by phase: the published cost is one average a way.
            .published = {{"glibc", platforms, "make_shared", {1148, 723, 736}},
                          {"glibc", platforms, "shared_ptr_with_new", {1164, 799, 802}},
                          {"glibc", platforms, "new_delete", {1090, 660, 679}},
                          {"locked-pool", platforms, "shared_ptr_with_pool", {407, 212, 215}},
                          {"locked-pool", platforms, "allocate_shared", {279, 403, 206}},
                          {"locked-pool", platforms, "pool", {7, 65, 65}}},
            .published_unit = "unstated",
            .touched_mib = 16,
            .usual_seconds = 0.09};
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
        .comparisons = {{"linn_make_shared",
                         {"make_shared"},
                         "std::make_shared on the best allocator",
                         "std::make_shared"},
                        {"linn_make_shared",
                         {"allocate_shared", "allocate_shared_spin"},
                         "the best locked pool",
                         "locked pools"}},
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
                    {"", "faults", 0, figure::faults, 1, {}, 2}},
        .touched_mib = 32,
        .usual_seconds = 0.3};
}

} // namespace linn::tool
