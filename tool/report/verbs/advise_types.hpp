// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../advise/advice.hpp"
#include "../document/document.hpp"

namespace linn::tool::report {

/// The types of the program for a page, each with what to do, why, and where, folded away below its row. Of thousands the first
/// few hundred are listed, fewer of them with details; the last row says what was left out.
table page_of_types(const advice& a);

} // namespace linn::tool::report
