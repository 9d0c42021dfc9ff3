// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../allocators/inventory.hpp"
#include "results.hpp"
#include "target.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// The glibc whose heap is not given back to the system: settings of the environment, no other library.
inline constexpr const char* run_no_trim_name = "glibc-no-trim";

/// The C library's allocator, where the program brings another one.
inline constexpr const char* run_glibc_name = "glibc";

/// The names that `--only` accepts beside those of the inventory.
std::vector<std::string> run_contender_names(const user_allocators& extra);

/// What takes part, `default` and its copy first, and what does not, with the reason.
std::vector<run_contender> choose_contenders(const run_options& options, const target& what,
                                             const std::vector<allocator_entry>& inventory,
                                             std::vector<run_left_out>& left_out);

} // namespace linn::tool
