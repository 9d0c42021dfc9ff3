// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "capture.hpp"

#include <cstdint>

namespace linn::tool::unwind {

/// Walks with all registers and all of DWARF's rules, reading every word through a probe: through signal frames and
/// hand-written code such as the dynamic loader's. It begins in itself, because the registers that the hook saved
/// are needed too, and unwinds to `start`. Returns how many frames it wrote; 0 if it did not come as far as `start`.
unsigned walk_slowly(const frame_start& start, unsigned depth, std::uintptr_t* frames) noexcept;

} // namespace linn::tool::unwind
