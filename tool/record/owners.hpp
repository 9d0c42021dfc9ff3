// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace linn::tool {

/// Whether a thread still runs; a zombie does not. `tid` may be 0: then any thread of the process.
bool is_thread_alive(std::uint32_t pid, std::uint32_t tid);

} // namespace linn::tool
