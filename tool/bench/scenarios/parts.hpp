// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../scenario.hpp"

#include <array>
#include <initializer_list>
#include <string>
#include <vector>

namespace linn::tool {

/// Phases whose names and titles are put together: every step in every group, with a column of nanoseconds each.
class phase_grid {
public:
    struct part {
        std::string_view name; ///< empty: the phase has the name of the other part
        std::string_view title;
        unsigned droppable = 0;
    };

    phase_grid(std::initializer_list<part> groups, std::initializer_list<part> steps) {
        texts_.reserve(2 * groups.size() * steps.size()); // views of them stay
        for (const part& g : groups) {
            for (const part& s : steps) {
                add(g, s);
            }
        }
    }
    phase_grid(phase_grid&&) = default;
    phase_grid& operator=(phase_grid&&) = default;

    /// One that is not in the grid, and its columns.
    void add_phase(const phase_info& phase, std::initializer_list<column_info> columns) {
        for (column_info c : columns) {
            c.phase = phases_.size();
            columns_.push_back(c);
        }
        phases_.push_back(phase);
    }

    std::span<const phase_info> phases() const noexcept { return phases_; }
    std::span<const column_info> columns() const noexcept { return columns_; }

private:
    void add(const part& group, const part& step) {
        const auto both = [&](std::string_view first, std::string_view second, const char* between) {
            std::string text{first};
            if (!first.empty() && !second.empty()) {
                text += between;
            }
            texts_.push_back(text += second);
            return std::string_view{texts_.back()};
        };
        const std::string_view name = both(group.name, step.name, "_");
        column_info column{group.title, step.title, phases_.size()};
        column.droppable = group.droppable + step.droppable;
        columns_.push_back(column);
        phases_.push_back({name, both(step.title, group.title, ", ")});
    }

    std::vector<std::string> texts_;
    std::vector<phase_info> phases_;
    std::vector<column_info> columns_;
};

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
