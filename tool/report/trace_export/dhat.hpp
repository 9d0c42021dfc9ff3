// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stack_names.hpp"
#include "stack_tally.hpp"

#include <iosfwd>

namespace linn::tool {

/// The JSON that Valgrind's DHAT writes, version 2 of its format, with lifetimes in microseconds and without accesses,
/// which no trace knows. @source Valgrind's dhat/dh_main.c, comment on the output format
void write_dhat(const trace_info& info, const stack_tally& tally, const address_names& names,
                std::ostream& out);

} // namespace linn::tool
