// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../advise/advice.hpp"
#include "figure.hpp"

namespace linn::tool::html {

/// The program's CPU time as one bar, how much of it is allocation, and the share of each type. Nothing where it is not known.
markup time_plot(id_source& ids, const advice& a);

/// Live bytes, live blocks and events over the run.
markup run_over_time(id_source& ids, const trace_analysis& t);

/// How many blocks lived how long, and how large they were; the titles stand above the bars.
markup block_histograms(id_source& ids, const site_statistics& s, const char* lifetime, const char* size);

} // namespace linn::tool::html
