// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "advice.hpp"
#include "type_groups.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

namespace linn::tool {

/// One call on the way to the allocator.
struct runtime_call {
    std::string_view module;   ///< path of the file that holds it
    std::string_view function; ///< empty: not known
};

/// The rule for blocks of one site, a stable word: docs/guide/advise.md lists them. Empty: they are the program's. `calls` are
/// innermost first.
std::string_view runtime_rule_of(std::span<const runtime_call> calls, std::uint64_t smallest,
                                 std::uint64_t largest);

/// What the C or C++ library allocates for itself and keeps until the process ends. It is no leak.
struct runtime_memory {
    std::vector<runtime_blocks> kept;
    std::map<std::uint32_t, std::string_view>
        rule_of; ///< by the number of a site; only of those that are the runtime's
};

/// Finds the runtime's own blocks among those that are live at the end.
runtime_memory find_runtime_blocks(const trace_analysis& analysis, const naming& names);

} // namespace linn::tool
