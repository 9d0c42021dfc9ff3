// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "advice.hpp"
#include "type_groups.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// What was seen besides the types: page faults that cost much, blocks that were never freed, temporary objects,
/// code without debug information. In this order, and the weightiest of each kind first. @pre the types are decided
std::vector<advice_finding> find_findings(const advice& a, const naming& names);

/// What weakens the advice: a trace with damage, dropped events, releases of unknown blocks, a CPU time that is not known.
std::vector<std::string> find_warnings(const advice& a);

/// A module whose code has no names, types or lines, and what to do about it.
struct missing_symbols {
    std::string module; ///< its path
    std::string reason;
    bool is_of_system = false;

    /// "/home/me/app: the types or lines of 20 blocks are not known: it has symbols but ..."
    std::string text(std::uint64_t count, const char* what) const;
};

/// Why the type or the line of a stack's blocks is not known: the symbols of the innermost module that is not the system's,
/// or of the innermost of all. Nothing: that module has all that is needed, or is not known.
std::optional<missing_symbols> why_unnamed(const trace_info& info, std::uint32_t stack, const naming& names);

/// Whether the debug information of the code that asked for a block is missed.
bool lacks_names(const named_type& type, const symbol_frame& place);

// What the runtime libraries keep: runtime_blocks.cpp.

/// What the C or C++ library allocates for itself and keeps until the process ends. It is no leak.
struct runtime_memory {
    std::vector<runtime_blocks> kept;
    std::map<std::uint32_t, std::string_view>
        rule_of; ///< by the number of a site; only of those that are the runtime's
};

/// Finds the runtime's own blocks among those that are live at the end. The sites have the names `named`.
runtime_memory find_runtime_blocks(const trace_analysis& analysis, std::span<const named_type> named);

} // namespace linn::tool
