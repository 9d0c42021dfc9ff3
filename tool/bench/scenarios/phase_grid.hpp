// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../scenario.hpp"

#include <deque>
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

    phase_grid() = default;
    phase_grid(std::initializer_list<part> groups, std::initializer_list<part> steps) {
        for (const part& g : groups) {
            for (const part& s : steps) {
                add(g, s);
            }
        }
    }

    /// One that is not in the grid, and its columns, for which `phase` and an empty group are filled in.
    void add_phase(std::string name, std::string title, std::size_t bytes, unsigned threads,
                   std::initializer_list<column_info> columns) {
        const phase_info phase{keep(std::move(name)), keep(std::move(title)), bytes, threads};
        for (column_info c : columns) {
            c.phase = phases_.size();
            c.group = c.group.empty() ? phase.title : c.group;
            columns_.push_back(c);
        }
        phases_.push_back(phase);
    }

    std::span<const phase_info> phases() const noexcept { return phases_; }
    std::span<const column_info> columns() const noexcept { return columns_; }

private:
    std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }

    void add(const part& group, const part& step) {
        const auto both = [&](std::string_view first, std::string_view second, const char* between) {
            std::string text{first};
            if (!first.empty() && !second.empty()) {
                text += between;
            }
            return keep(text += second);
        };
        const std::string_view name = both(group.name, step.name, "_");
        column_info column{group.title, step.title, phases_.size()};
        column.droppable = group.droppable + step.droppable;
        columns_.push_back(column);
        phases_.push_back({name, both(step.title, group.title, ", ")});
    }

    std::deque<std::string> texts_; // views of them stay
    std::vector<phase_info> phases_;
    std::vector<column_info> columns_;
};

} // namespace linn::tool
