// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executable.hpp"

#include <filesystem>
#include <string>

namespace linn::tool {

/// A program that the user named, and whether a preloaded library reaches it.
struct reached_program {
    std::filesystem::path file;
    executable_info info;
    std::string problem; ///< why it cannot be executed or reached, and the fix; empty when it can
    bool is_usage_error =
        false; ///< of `problem`: there is no such program (exit status 2), rather than one out of reach
};

/// The library that would be loaded into the program, for the words of a refusal.
enum class preload_kind { allocator, recorder, pools };

/// Looks `name` up as a shell does, with this process's PATH.
reached_program reach_program(const std::string& name, preload_kind what = preload_kind::allocator);

/// Why a preloaded library would not reach a program: static, setuid, musl, a sanitizer's build; empty when it would.
std::string why_not_preloadable(const std::filesystem::path& file, const executable_info& info,
                                preload_kind what = preload_kind::allocator);

} // namespace linn::tool
