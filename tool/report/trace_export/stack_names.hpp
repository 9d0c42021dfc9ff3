// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../symbols/symbolizer.hpp"
#include "../../trace/info.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// The frames at an address of a stack, innermost first; at least one, which may have no name.
using address_names = std::function<std::vector<symbol_frame>(const code_address&)>;

/// Those that the symbolizer finds. Both must outlive the result.
address_names names_by(const trace_info& info, symbolizer& symbols);

/// A function's name; where it is not known "0x12af in libfoo.so".
std::string name_of(const symbol_frame& frame, const code_address& at, const trace_info& info);

/// The last part of a path.
std::string_view file_name(std::string_view path);

} // namespace linn::tool
