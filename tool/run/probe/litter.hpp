// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "record.hpp"

namespace linn::tool::probe {

/// Makes the heap of this process one that was long in use, as LINN_LITTER says: blocks of the sizes in its file, by the
/// program's malloc, half of which are freed in another order. Says in `into` what that was and took. Does nothing
/// where the variable is not set, or names no such file. @source van Kempen and Berger, littering, 2026
void litter_heap(char** variables, litter& into) noexcept;

} // namespace linn::tool::probe
