// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stack_names.hpp"
#include "stack_tally.hpp"

namespace linn::tool {

/// Takes what the runtime libraries keep on purpose out of what is live at the end, by the rules of advise/runtime_blocks.hpp.
/// @pre tally.finish() was called
void leave_out_runtime(const trace_info& info, const address_names& names, stack_tally& tally);

} // namespace linn::tool
