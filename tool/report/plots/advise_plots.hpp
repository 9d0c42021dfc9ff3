// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../advise/advice.hpp"
#include "../document/markup.hpp"
#include "axis.hpp"
#include "figure.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace linn::tool::html {

/// How often values of each power of two were seen: [i] those from 2^i up to 2^(i+1), [0] also those below 1.
struct histogram_plot {
    std::string title;
    unit what = unit::bytes;
    std::span<const std::uint64_t> counts;
};

/// The bars, from the first that is not empty to the last, or nothing where all are.
markup draw(id_source& ids, const histogram_plot& plot);

/// The program's CPU time as one bar, how much of it is allocation, and the share of each type. Nothing where it is not known.
markup time_plot(id_source& ids, const advice& a);

/// Live bytes, live blocks and events over the run.
markup run_over_time(id_source& ids, const trace_analysis& t);

/// How many blocks lived how long, and how large they were; the titles stand above the bars.
markup block_histograms(id_source& ids, const site_statistics& s, const char* lifetime, const char* size);

} // namespace linn::tool::html
