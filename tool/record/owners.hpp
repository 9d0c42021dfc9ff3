// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace linn::tool {

/// Whether a thread still runs; a zombie does not. `tid` may be 0: then any thread of the process.
bool is_thread_alive(std::uint32_t pid, std::uint32_t tid);

/// The processes that were started with NAME=value in their environment, or forked from one that was. One that has just
/// been forked or has just executed another program is among them, before it has done anything.
std::vector<std::uint32_t> processes_with(const std::string& name_and_value);

} // namespace linn::tool
