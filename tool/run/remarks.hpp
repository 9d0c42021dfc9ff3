// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../program/executable.hpp"
#include "launch.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// What a reader must know of a program whose memory does not all come from malloc. `last` is what the program said
/// when it ran with nothing preloaded, `info` what its file says.
std::vector<std::string> remarks_on(const process_proof& last, const executable_info& info);

/// The value of a variable in a list of NAME=value; empty when it is not there.
std::string variable_of(const std::vector<std::string>& environment, const std::string& name);

} // namespace linn::tool
