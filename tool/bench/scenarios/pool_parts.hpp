// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../scenario.hpp"

#include <array>

namespace linn::tool {

/// The general allocators' variant and the pools that stand for any allocator, as `pool_variants` of the worker names them.
constexpr std::array<variant_info, 6> pool_variants(std::string_view general, std::string_view linn) {
    return {{{"general", general, "", ""},
             {"pmr_unsynchronized", "pmr unsynchronized", "pmr-unsynchronized", ""},
             {"pmr_synchronized", "pmr synchronized", "pmr-synchronized", ""},
             {"boost_singleton_pool", "boost singleton_pool", "boost-singleton-pool", ""},
             {"lecture_pool", "lecture pool", "lecture-pool", ""},
             {"linn", linn, "linn", ""}}};
}

/// All of them but Linn's.
inline constexpr std::string_view other_pools[] = {"general", "pmr_unsynchronized", "pmr_synchronized",
                                                   "boost_singleton_pool", "lecture_pool"};

/// Each phase in cycles, with their interval and least, and in nanoseconds.
template <std::size_t Phases>
constexpr std::array<column_info, 4 * Phases> cycle_columns(const std::array<phase_info, Phases>& phases) {
    std::array<column_info, 4 * Phases> columns{};
    for (std::size_t p = 0; p != Phases; ++p) {
        columns[4 * p] = {phases[p].title, "median", p, figure::cycles, 1, {}, 0, 1};
        columns[4 * p + 1] = {phases[p].title, "95 % interval", p, figure::bounds, 1, {}, 5, 1};
        columns[4 * p + 2] = {phases[p].title, "min", p, figure::minimum, 1, {}, 1, 1};
        columns[4 * p + 3] = {phases[p].title, "ns", p, figure::time, 1, {}, 4, 1};
    }
    return columns;
}

} // namespace linn::tool
