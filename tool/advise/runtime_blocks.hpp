// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "advice.hpp"
#include "type_groups.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace linn::tool {

/// Blocks that the C or C++ library allocates for itself and keeps until the process ends. They are no leaks.
struct runtime_rule {
    const char* name; ///< a stable word: docs/guide/advise.md lists them
    const char* what; ///< as a report calls the blocks
    /// One of these called the allocator, or called what did, all within runtime libraries. Names without arguments; one that
    /// ends in '*' is a prefix.
    std::span<const std::string_view> functions;
    /// Live blocks in a process; more are the program's own doing, and are shown as leaks.
    std::uint64_t most = 0;
    std::string_view module = {}; ///< or: this file called the allocator; compared as a prefix of its name
    std::uint64_t smallest = 0;   ///< block that the module keeps
    std::uint64_t largest = ~std::uint64_t{0};
};

/// One call on the way to the allocator.
struct runtime_call {
    std::string_view module;   ///< path of the file that holds it
    std::string_view function; ///< empty: not known
};

/// The rule for blocks of one site; null: they are the program's. `calls` are innermost first.
const runtime_rule* runtime_rule_of(std::span<const runtime_call> calls, std::uint64_t smallest,
                                    std::uint64_t largest);

/// Finds the runtime's own blocks among those that are live at the end, and notes them in the types and in `a`.
/// @pre the types are grouped
void find_runtime_blocks(advice& a, const naming& names);

} // namespace linn::tool
