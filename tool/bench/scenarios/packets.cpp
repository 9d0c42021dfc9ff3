// SPDX-License-Identifier: Apache-2.0
#include "../scenario.hpp"

#include <array>

namespace linn::tool {

scenario shared_ptr_scenario() {
    static constexpr std::array phases{
        phase_info{"single_hot", "hot"},
        phase_info{"single_burst", "burst"},
        phase_info{"multi_hot", "hot next to an idle thread"},
        phase_info{"multi_burst", "burst next to an idle thread"},
        phase_info{"two_hot", "hot on two threads"},
        phase_info{"two_burst", "burst on two threads"},
    };
    static constexpr std::array columns{
        column_info{"one thread", "hot", 0},
        column_info{"one thread", "burst", 1},
        column_info{"one thread", "faults", 1, figure::faults, 1, {}, 2},
        column_info{"and an idle one", "hot", 2},
        column_info{"and an idle one", "burst", 3},
        column_info{"two threads", "hot", 4},
        column_info{"two threads", "burst", 5},
        column_info{"two threads", "faults", 5, figure::faults, 1, {}, 2},
    };
    static constexpr std::array variants{
        variant_info{"make_shared", "std::make_shared"},
        variant_info{"make_shared_filled", "std::make_shared, no constructor", "",
                     "the packet is filled with zeros first"},
        variant_info{"shared_ptr_with_new", "shared_ptr(new T)", "", "two allocations"},
        variant_info{"new_delete", "new and delete, no shared_ptr"},
        variant_info{"shared_ptr_with_pool", "shared_ptr(pool.pop())", "locked-pool",
                     "control block from glibc"},
        variant_info{"allocate_shared", "allocate_shared, locked pool", "locked-pool"},
        variant_info{"pool", "locked pool, no shared_ptr", "locked-pool"},
        variant_info{"allocate_shared_spin", "allocate_shared, spinning pool", "spin-pool"},
        variant_info{"pool_spin", "spinning pool, no shared_ptr", "spin-pool"},
        variant_info{"linn_make_shared", "linn::make_shared", "linn"},
        variant_info{"linn_make_shared_for_overwrite", "linn::make_shared_for_overwrite", "linn",
                     "of a packet without a constructor"},
        variant_info{"linn_allocate_shared", "allocate_shared, linn::allocator", "linn"},
        variant_info{"linn_recycler_shared", "recycler acquire_shared()", "linn", "packets stay constructed"},
        variant_info{"linn_recycler", "recycler acquire(), unique", "linn", "packets stay constructed"},
        variant_info{"linn_pool", "linn::pool, no shared_ptr", "linn"},
    };
    // By platform, not by phase: the published cost is one average a way.
    static constexpr std::array make_shared{1148.0, 723.0, 736.0};
    static constexpr std::array with_new{1164.0, 799.0, 802.0};
    static constexpr std::array with_pool{407.0, 212.0, 215.0};
    static constexpr std::array allocate_shared{279.0, 403.0, 206.0};
    static constexpr std::array new_delete{1090.0, 660.0, 679.0};
    static constexpr std::array pool{7.0, 65.0, 65.0};
    static constexpr std::string_view platforms =
        "GCC 4.8.5 on CentOS 6.2 / VS2017 x64 / VS2017 with its header repaired";
    static constexpr std::array published{
        published_row{"glibc", platforms, make_shared, "make_shared"},
        published_row{"glibc", platforms, with_new, "shared_ptr_with_new"},
        published_row{"glibc", platforms, new_delete, "new_delete"},
        published_row{"locked-pool", platforms, with_pool, "shared_ptr_with_pool"},
        published_row{"locked-pool", platforms, allocate_shared, "allocate_shared"},
        published_row{"locked-pool", platforms, pool, "pool"},
    };
    static constexpr std::string_view remarks[]{
        "hot: one packet at a time; burst: 256 live, then all destroyed; faults: page faults an operation in "
        "bursts. An idle second thread makes glibc lock and std::shared_ptr count atomically.",
        "glibc, no trim: MALLOC_TRIM_THRESHOLD_ raised. What glibc gains there is heap given back to the "
        "system and fetched again, not the price of allocating.",
        "published: GCC 4.8.5 on CentOS 6.2 / VS2017 x64 / VS2017 with its header repaired; the unit was not "
        "stated, so compare ratios.",
        nothing_walks,
    };
    static constexpr std::string_view standard_ways[]{"make_shared", "shared_ptr_with_new"};
    static constexpr std::string_view locked_ways[]{"shared_ptr_with_pool", "allocate_shared",
                                                    "allocate_shared_spin"};
    static constexpr std::string_view raw_ways[]{"new_delete", "pool", "pool_spin"};
    static constexpr std::array comparisons{
        comparison_info{"linn_make_shared", standard_ways, "std::make_shared on the best allocator",
                        "std::make_shared"},
        comparison_info{"linn_make_shared", locked_ways, "a shared_ptr from the best locked pool",
                        "shared_ptr, locked pools"},
        comparison_info{"linn_pool", raw_ways, "the best raw allocation", "raw: new, locked pools"},
    };
    return {.name = "shared-ptr",
            .summary = "ways to create and destroy a shared_ptr to a packet of 1.5 KB",
            .operation = "operation",
            .phases = phases,
            .published = published,
            .published_unit = "unstated",
            .variants = variants,
            .baseline = "make_shared",
            .heading = "a packet of 1536 bytes created, one word written, destroyed; ns an operation",
            .columns = columns,
            .remarks = remarks,
            .comparisons = comparisons,
            .touched_mib = 16,
            .usual_seconds = 0.09};
}

scenario pipeline_scenario() {
    static constexpr std::array phases{phase_info{"flat_out", "flat out"},
                                       phase_info{"line_rate", "at 14.88 M/s"}};
    static constexpr double per_million = 1e-6;
    static constexpr double ten_gigabit = 14.88e6;        // frames of 64 bytes a second
    static constexpr double twenty_five_gigabit = 37.2e6; // likewise
    static constexpr std::array columns{
        column_info{"flat out", "M/s", 0, figure::rate, per_million, {}, 0, 1},
        column_info{"flat out", "x 10G", 0, figure::rate, 1 / ten_gigabit, {}, 0, 2},
        column_info{"flat out", "x 25G", 0, figure::rate, 1 / twenty_five_gigabit, {}, 0, 2},
        column_info{"idle", "recv", 0, figure::metric, 1, "receiver_idle", 3},
        column_info{"idle", "work", 0, figure::metric, 1, "worker_idle", 3},
        column_info{"at 14.88 M/s", "M/s", 1, figure::rate, per_million, {}, 0, 1},
        column_info{"at 14.88 M/s", "x 10G", 1, figure::rate, 1 / ten_gigabit, {}, 4, 2},
        column_info{"idle then", "recv", 1, figure::metric, 1, "receiver_idle"},
        column_info{"idle then", "work", 1, figure::metric, 1, "worker_idle"},
        column_info{"", "faults", 0, figure::faults, 1, {}, 2},
    };
    static constexpr std::array variants{
        variant_info{"make_shared", "std::make_shared"},
        variant_info{"allocate_shared", "allocate_shared, locked pool", "locked-pool"},
        variant_info{"allocate_shared_spin", "allocate_shared, spinning pool", "spin-pool"},
        variant_info{"linn_allocate_shared", "allocate_shared, linn::allocator", "linn"},
        variant_info{"linn_make_shared", "linn::make_shared", "linn"},
        variant_info{"linn_make_shared_for_overwrite", "linn::make_shared_for_overwrite", "linn"},
        variant_info{"linn_recycler_shared", "recycler acquire_shared()", "linn"},
    };
    static constexpr std::string_view remarks[]{
        "One thread takes a packet of 1.5 KB, writes 128 bytes of it and hands it on through a ring of 1024; "
        "another reads it and lets it go. M/s: million packets a second; x 10G, x 25G: by the frames of 64 "
        "bytes that 10 and 25 Gbit/s carry, 14.88 and 37.2 M/s.",
        "idle: share of its time that the receiving (recv) or the working core (work) had nothing to do, "
        "because the ring was full, the next frames had not come yet, or the ring was empty. At 14.88 M/s it "
        "is what is left for the real work; a rate below that means that frames would be lost.",
        "MiB: peak resident size, about 2 MiB of it the packets that the ring holds.",
    };
    static constexpr std::string_view standard_ways[]{"make_shared"};
    static constexpr std::string_view locked_ways[]{"allocate_shared", "allocate_shared_spin"};
    static constexpr std::array comparisons{
        comparison_info{"linn_make_shared", standard_ways, "std::make_shared on the best allocator",
                        "std::make_shared"},
        comparison_info{"linn_make_shared", locked_ways, "the best locked pool", "locked pools"},
    };
    return {.name = "pipeline",
            .summary = "10 Gbit/s: one core receives packets, another processes and frees them",
            .operation = "packet",
            .phases = phases,
            .variants = variants,
            .baseline = "make_shared",
            .heading = "packets from one core to another, held by shared_ptr",
            .columns = columns,
            .remarks = remarks,
            .comparisons = comparisons,
            .touched_mib = 32,
            .usual_seconds = 0.3};
}

} // namespace linn::tool
