// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command.hpp"

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace linn::tool {

// One of two files holds both: verbs.cpp, or measuring/verbs.cpp in the build of `make bench`.

/// The verbs of this build, each added to the program's arguments, in the order of the help text.
std::vector<std::unique_ptr<command>> add_verbs(CLI::App& program);

/// The names of the verbs that this build leaves out.
std::span<const std::string_view> left_out_verbs() noexcept;

} // namespace linn::tool
