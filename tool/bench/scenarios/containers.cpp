// SPDX-License-Identifier: Apache-2.0
#include "../scenario.hpp"
#include "parts.hpp"

namespace linn::tool {
namespace {

constexpr std::array phases{phase_info{"insert", "insert"}, phase_info{"erase", "erase"},
                            phase_info{"insert_again", "insert again"}};
constexpr auto columns = cycle_columns(phases);
constexpr auto variants = pool_variants("std::allocator", "linn::allocator");

constexpr std::array glibc{307.0, 162.0, 176.0};
constexpr std::array tcmalloc{250.0, 116.0, 117.0};
constexpr std::array pmr{272.0, 210.0, 169.0};
constexpr std::array lecture{199.0, 112.0, 110.0};
constexpr std::array apple{449.0, 492.0, 305.0};
constexpr std::array msvc{366.0, 185.0, 300.0};

constexpr std::array published{
    published_row{"glibc", "GCC 10.3, Ubuntu 20.04", glibc, "general"},
    published_row{"tcmalloc", "GCC 10.3, Ubuntu 20.04", tcmalloc, "general"},
    published_row{"pmr-unsynchronized", "GCC 10.3, Ubuntu 20.04", pmr, "pmr_unsynchronized"},
    published_row{"lecture-pool", "GCC 10.3, Ubuntu 20.04", lecture, "lecture_pool"},
    published_row{"", "Apple Clang 12, macOS 10.15", apple, "general"},
    published_row{"", "MSVC 19.29, Windows 10", msvc, "general"},
};

constexpr std::array remarks{nothing_walks};

constexpr std::array comparisons{comparison_info{"linn", other_pools, "the best other", "all others"}};

} // namespace

std::vector<scenario> containers_scenarios() {
    return {scenario{
        .name = "containers",
        .summary = "insert, erase and insert again random integers in an unordered_set<int>",
        .operation = "operation",
        .phases = phases,
        .published = published,
        .published_unit = "cycles",
        .published_remark =
            "published: insert/erase/insert again, GCC 10.3, Ubuntu 20.04; elsewhere Apple Clang 12, macOS "
            "10.15 449/492/305, MSVC 19.29, Windows 10 366/185/300; pmr synchronized was published in "
            "words: slower than the default on Linux",
        .variants = variants,
        .baseline = "general",
        .heading = "{n} random integers in a std::{container}<int>; cycles an operation",
        .columns = columns,
        .remarks = remarks,
        .comparisons = comparisons,
        .sized_by = work_size::integers,
        .usual_seconds = 0.6}};
}

} // namespace linn::tool
