// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "team.hpp"

#include <string>

namespace linn::tool::worker {

/// What the worker was asked for.
struct replay_order {
    std::string program;           ///< path
    std::string source = "system"; ///< or "linn", "group=N", "group=N-M", "null"
    std::string how = "lines";     ///< "none", "byte", "lines", "all", "check"
};

/// Executes the program as ordered. `failure` of the report says what is wrong with an order.
replay_report replay(const program_view& program, const replay_order& order);

} // namespace linn::tool::worker
