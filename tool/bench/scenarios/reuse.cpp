// SPDX-License-Identifier: Apache-2.0
#include "../scenario.hpp"
#include "parts.hpp"

#include <array>
#include <vector>

namespace linn::tool {
namespace {

using namespace std::string_view_literals;

constexpr std::array variants{
    variant_info{"general", "new, std::allocator", "", ""},
    variant_info{"pmr_unsynchronized", "pmr unsynchronized", "pmr-unsynchronized", "one a kind of node"},
    variant_info{"linn", "linn::allocator", "linn", ""},
    variant_info{"linn_pool_resource", "linn::pool_resource", "linn", "through std::pmr"},
};

constexpr std::array others{"general"sv, "pmr_unsynchronized"sv};

constexpr std::array comparisons{
    comparison_info{"linn", others, "the best other", "all others"},
    comparison_info{"linn_pool_resource", others, "the best other", "all others"},
};

constexpr std::array remarks{
    "list: nodes of 48 bytes, linked in the order of allocation; map: map<int, int>; u_map: "
    "unordered_map<int, int>. A round builds the structure, walks it four times and frees its nodes in "
    "random order; the next round gets the same memory. Least of the rounds after the first."sv,
    "walk: one walk of the four; sum: build, walk and free. On a narrow terminal some columns are missing; "
    "--json and --csv have all."sv,
};

} // namespace

std::vector<scenario> reuse_scenarios() {
    static const phase_grid grid{
        {{"list_3k", "list 3K", 6},
         {"list_10k", "list 10K", 4},
         {"list_30k", "list 30K"},
         {"list_100k", "list 100K"},
         {"map_3k", "map 3K", 7},
         {"map_10k", "map 10K", 7},
         {"map_30k", "map 30K", 6},
         {"map_100k", "map 100K", 3},
         {"unordered_map_3k", "u_map 3K", 6},
         {"unordered_map_10k", "u_map 10K", 5},
         {"unordered_map_30k", "u_map 30K", 4},
         {"unordered_map_100k", "u_map 100K"}},
        {{"build", "build", 8}, {"walk", "walk"}, {"free", "free", 8}, {"sum", "sum"}}};
    return {scenario{.name = "reuse",
                     .summary = "lists and maps built, walked and freed in random order, in reused memory",
                     .operation = "node",
                     .phases = grid.phases(),
                     .variants = variants,
                     .baseline = "general",
                     .heading = "n nodes allocated, walked and freed in random order, again; ns a node",
                     .columns = grid.columns(),
                     .remarks = remarks,
                     .comparisons = comparisons,
                     .touched_mib = 32,
                     .usual_seconds = 0.9}};
}

} // namespace linn::tool
