// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../trace/reader.hpp"
#include "exit_code.hpp"

namespace linn::tool {

/// What a command exits with that cannot use a trace: damage is a failure, any other reason a wrong call.
inline exit_code exit_code_for(const unusable_trace& error) noexcept {
    return dynamic_cast<const damaged_trace*>(&error) != nullptr ? exit_failure : exit_usage;
}

} // namespace linn::tool
