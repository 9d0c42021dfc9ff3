// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "frame_start.hpp"

#include <cstdint>

namespace linn::tool::unwind {

/// Loads libunwind, once; false where it is not installed. Allocates.
bool load_libunwind() noexcept;

/// Walks with it. Returns how many frames it wrote, at least the first.
unsigned walk_with_libunwind(const frame_start& start, unsigned depth, std::uintptr_t* frames) noexcept;

} // namespace linn::tool::unwind
