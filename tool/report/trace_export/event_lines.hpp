// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../trace/event.hpp"
#include "../../trace/info.hpp"

#include <string>

namespace linn::tool {

/// The heading of the events as text (`linn trace --events`), and one event as a line of it.
std::string event_heading();
std::string event_line(const trace_info& info, const event& e);

} // namespace linn::tool
