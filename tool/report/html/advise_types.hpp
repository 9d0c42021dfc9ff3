// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../advise/advice.hpp"
#include "../document/markup.hpp"
#include "../plots/figure.hpp"

#include <string>

namespace linn::tool::html {

/// "3.1 – 11 %", "2.0 %", or "–" where nothing is to be gained.
std::string gain_text(const gain_range& g);

/// The types of the program, sortable; each with what to do, why, and where, folded away below its row. Of thousands
/// the first few hundred are listed, fewer of them with details; the last row says what was left out.
markup type_table(id_source& ids, const advice& a);

} // namespace linn::tool::html
