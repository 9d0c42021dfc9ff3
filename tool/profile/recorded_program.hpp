// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../trace/info.hpp"

#include <string>

namespace linn::tool {

/// The file of the process with most events, as the kernel named it; of a trace without processes the word that started the
/// program.
std::string recorded_program(const trace_info& info);

/// The part of a path behind the last slash, without the mark that the kernel gives a file that was replaced.
std::string program_name(const std::string& path);

} // namespace linn::tool
