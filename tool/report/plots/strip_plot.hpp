// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../measure/statistics.hpp"
#include "../document/markup.hpp"
#include "figure.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace linn::tool::html {

/// A line of a strip plot: one contender, or the heading of those that follow.
struct strip_label {
    std::string words;
    emphasis style = emphasis::none;
    bool is_heading = false;
};

/// What one panel shows on one line: every sample as a dot, the median with its interval, and the median in figures.
/// Without a median the line stays empty there.
struct strip {
    std::vector<double> samples;
    interval middle;
    std::string remark = {}; ///< behind the figures

    bool is_empty() const noexcept { return !(middle.middle > 0); }
};

/// One measure of all contenders, relative to a reference at 1, on a logarithmic axis.
struct strip_panel {
    std::string title;          ///< above it
    std::string axis_title;     ///< below it
    std::vector<strip> strips;  ///< one a label
    double noise = 0;           ///< a share: the band around 1 in which nothing can be told
    bool shows_changes = false; ///< 0.9 is written as -10.0 %
};

/// Panels that share their lines.
struct strip_plot {
    std::vector<strip_label> labels;
    std::vector<strip_panel> panels;
};

inline constexpr std::size_t panels_a_row = 3;

/// The panels whose strips are not all empty, some of them side by side, with the labels before each row.
markup draw(id_source& ids, const strip_plot& plot);

/// How far a sample is moved up or down from the middle of its line, -1 to 1, so that equal ones do not hide each other.
/// The same for every run of the program.
double jitter(std::size_t sample) noexcept;

} // namespace linn::tool::html
