// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../profile/trace_view.hpp"
#include "../../symbols/symbolizer.hpp"
#include "../../trace/info.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// What one stack allocated by one call, as `linn trace` counts it.
struct exported_stack {
    std::uint32_t stack = 0; ///< index of `trace_info::stacks`
    allocation_call call = allocation_call::none;
    site_statistics statistics;
    block_counts counts; ///< the blocks that the filter lets through
    block_counts live;   ///< the blocks that were never released
};

/// The stacks of a profile that have a block which the filter lets through, ordered as the sites of the profile. With the
/// filter `leaks`, blocks that the runtime libraries keep on purpose count only where `keeps_runtime` is true.
std::vector<exported_stack> exported_stacks(const trace_profile& profile, block_filter filter,
                                            bool keeps_runtime);

/// The frames at an address of a stack, innermost first; at least one, which may have no name.
using address_names = std::function<std::vector<symbol_frame>(const code_address&)>;

/// Those that the symbolizer finds. Both must outlive the result.
address_names names_by(const trace_info& info, symbolizer& symbols);

/// A function's name; where it is not known "0x12af in libfoo.so".
std::string name_of(const symbol_frame& frame, const code_address& at, const trace_info& info);

/// The last part of a path.
std::string_view file_name(std::string_view path);

} // namespace linn::tool
