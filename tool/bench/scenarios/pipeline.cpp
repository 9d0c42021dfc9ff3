// SPDX-License-Identifier: Apache-2.0
#include "../scenario.hpp"

#include <array>
#include <vector>

namespace linn::tool {
namespace {

using namespace std::string_view_literals;

constexpr std::array phases{phase_info{"flat_out", "flat out"}, phase_info{"line_rate", "at 14.88 M/s"}};

constexpr double per_million = 1e-6;
constexpr double ten_gigabit = 14.88e6;        // frames of 64 bytes a second
constexpr double twenty_five_gigabit = 37.2e6; // likewise

constexpr std::array columns{
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

constexpr std::array variants{
    variant_info{"make_shared", "std::make_shared", "", ""},
    variant_info{"allocate_shared", "allocate_shared, locked pool", "locked-pool", ""},
    variant_info{"allocate_shared_spin", "allocate_shared, spinning pool", "spin-pool", ""},
    variant_info{"linn_allocate_shared", "allocate_shared, linn::allocator", "linn", ""},
    variant_info{"linn_make_shared", "linn::make_shared", "linn", ""},
    variant_info{"linn_make_shared_for_overwrite", "linn::make_shared_for_overwrite", "linn", ""},
    variant_info{"linn_recycler_shared", "recycler acquire_shared()", "linn", ""},
};

constexpr std::array remarks{
    "One thread takes a packet of 1.5 KB, writes 128 bytes of it and hands it on through a ring of 1024; "
    "another reads it and lets it go. M/s: million packets a second; x 10G, x 25G: by the frames of 64 "
    "bytes that 10 and 25 Gbit/s carry, 14.88 and 37.2 M/s."sv,
    "idle: share of its time that the receiving (recv) or the working core (work) had nothing to do, because "
    "the ring was full, the next frames had not come yet, or the ring was empty. At 14.88 M/s it is what is "
    "left for the real work; a rate below that means that frames would be lost."sv,
    "MiB: peak resident size, about 2 MiB of it the packets that the ring holds."sv,
};

constexpr std::array standard_ways{"make_shared"sv};
constexpr std::array locked_ways{"allocate_shared"sv, "allocate_shared_spin"sv};

constexpr std::array comparisons{
    comparison_info{"linn_make_shared", standard_ways, "std::make_shared on the best allocator",
                    "std::make_shared"},
    comparison_info{"linn_make_shared", locked_ways, "the best locked pool", "locked pools"},
};

} // namespace

std::vector<scenario> pipeline_scenarios() {
    return {scenario{.name = "pipeline",
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
                     .usual_seconds = 0.3}};
}

} // namespace linn::tool
