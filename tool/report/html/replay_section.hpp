// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../replay/results.hpp"
#include "../document/markup.hpp"
#include "../plots/figure.hpp"

#include <string>

namespace linn::tool::html {

/// What each allocator needed for the recorded requests, as strips and as a table; then the same for one type at a time.
markup replay_plots(id_source& ids, const replay_result& result);

/// The order of the replay beside that of a run of the program, where one was given; else nothing.
markup agreement_table(const replay_result& result);

} // namespace linn::tool::html
