// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../trace/info.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace linn::tool {

/// Why what a trace says does not hold for the program that will run: it is of another program, or of another build of it. Empty:
/// it is of this one. `file`: the program's; `words`: the program and its arguments, any of which may name the recorded program, as
/// behind `env` or `taskset`.
std::string why_other_program(const std::string& trace, const trace_info& info,
                              const std::filesystem::path& file, const std::vector<std::string>& words);

} // namespace linn::tool
