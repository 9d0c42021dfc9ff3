// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "child_program.hpp"

#include <filesystem>

namespace linn::tool {

/// What recording one event costs on this machine, in nanoseconds: a small program that only allocates and releases is
/// run with the recorder and without, in turn, and the fastest of each are compared. About 0.1 s; 0 when it failed.
double measure_event_cost(const signal_desk& desk, const std::filesystem::path& library);

} // namespace linn::tool
