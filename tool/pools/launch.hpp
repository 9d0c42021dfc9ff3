// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../program/executable.hpp"
#include "plan.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace linn::tool {

/// What the preloaded library is told through the environment; docs/reference/plan.md.
struct pool_settings {
    std::filesystem::path plan;
    std::string mode = "on";               ///< LINN_POOLS
    std::filesystem::path statistics = {}; ///< LINN_POOLS_STATS; may be empty
    std::string signal = {};               ///< LINN_POOLS_SIGNAL; may be empty
    bool counts_hits = false;              ///< LINN_POOLS_COUNT
    bool is_checked = false;               ///< liblinn-try-checked.so
};

/// The variables, as NAME=VALUE, all of them each time: runs in different modes differ in values only. LD_PRELOAD is
/// not among them; pool_library says what to put there.
std::vector<std::string> pool_variables(const pool_settings& settings);

/// The library to preload: next to the tool, or as installed.
std::filesystem::path pool_library(bool is_checked = false);

/// A program that a plan is to serve, and the library that does it.
struct served_program : reached_program {
    std::filesystem::path library;
};

/// Looks `name` up as a shell does, and whether the library reaches it.
served_program find_served_program(const std::string& name, bool is_checked);

/// The compiled form of a plan in a file: next to the plan, or in XDG_RUNTIME_DIR where that cannot be written. It is written only
/// if it is not there yet, and appears whole, since running programs may map it. @throws unusable_input
std::filesystem::path keep_compiled(const std::filesystem::path& plan_file, const pool_plan& plan);

/// Becomes the program. Returns only when that fails: why.
/// @param words what it is called by, and its arguments
std::string become_served(const served_program& program, const std::vector<std::string>& words,
                          const pool_settings& settings);

} // namespace linn::tool
