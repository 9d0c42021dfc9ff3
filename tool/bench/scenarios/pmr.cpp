// SPDX-License-Identifier: Apache-2.0
#include "../scenario.hpp"

#include <array>
#include <vector>

namespace linn::tool {
namespace {

using namespace std::string_view_literals;

constexpr std::array phases{
    phase_info{"list", "list"},
    phase_info{"map", "map"},
    phase_info{"unordered_map", "unordered_map"},
    phase_info{"strings", "strings"},
    phase_info{"raw", "raw blocks"},
    phase_info{"list_two", "list on two threads"},
    phase_info{"map_two", "map on two threads"},
    phase_info{"unordered_map_two", "unordered_map on two threads"},
    phase_info{"strings_two", "strings on two threads"},
    phase_info{"raw_two", "raw blocks on two threads"},
};

constexpr std::array columns{
    column_info{"one thread", "list", 0},     column_info{"one thread", "map", 1},
    column_info{"one thread", "u_map", 2},    column_info{"one thread", "strings", 3},
    column_info{"one thread", "raw", 4},      column_info{"two threads", "list", 5},
    column_info{"two threads", "map", 6},     column_info{"two threads", "u_map", 7},
    column_info{"two threads", "strings", 8}, column_info{"two threads", "raw", 9},
};

constexpr std::array variants{
    variant_info{"new_delete", "new_delete_resource", "", ""},
    variant_info{"unsynchronized", "unsynchronized_pool", "pmr-unsynchronized", "one a thread"},
    variant_info{"synchronized", "synchronized_pool", "pmr-synchronized", ""},
    variant_info{"monotonic", "monotonic_buffer", "pmr-monotonic", "frees nothing, one a thread"},
    variant_info{"linn_pool_resource", "linn::pool_resource", "linn", ""},
};

constexpr std::array remarks{
    "ns an element put in and taken out, of 4096 at once (u_map: unordered_map), or a raw block of 8 to 4096 "
    "bytes allocated and freed, of 1024 at once; strings: 17 to 528 bytes, in a growing vector."sv,
    "unsynchronized_pool and monotonic_buffer are one a thread, the others shared. monotonic_buffer frees "
    "nothing before the end and is no rival, only the least that a resource can cost."sv,
    nothing_walks,
};

constexpr std::array general{"new_delete"sv};
constexpr std::array unsynchronized{"unsynchronized"sv};
constexpr std::array synchronized_pool{"synchronized"sv};

constexpr std::array comparisons{
    comparison_info{"linn_pool_resource", general, "new_delete_resource on the best allocator",
                    "new_delete_resource"},
    comparison_info{"linn_pool_resource", unsynchronized, "unsynchronized_pool_resource",
                    "unsynchronized_pool"},
    comparison_info{"linn_pool_resource", synchronized_pool, "synchronized_pool_resource",
                    "synchronized_pool"},
};

} // namespace

std::vector<scenario> pmr_scenarios() {
    return {scenario{.name = "pmr",
                     .summary = "std::pmr containers and raw blocks over memory resources",
                     .operation = "element",
                     .phases = phases,
                     .variants = variants,
                     .baseline = "new_delete",
                     .heading = "std::pmr containers over memory resources; ns an element",
                     .columns = columns,
                     .remarks = remarks,
                     .comparisons = comparisons,
                     .touched_mib = 32,
                     .usual_seconds = 0.1}};
}

} // namespace linn::tool
