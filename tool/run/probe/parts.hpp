// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "record.hpp"

namespace linn::tool::probe {

/// Who defines the memory functions, searched as the dynamic loader does: the first module in load order wins.
struct providers {
    const char* library = nullptr; ///< to be looked for, as it was named to the loader; may be null or empty
    bool library_mapped = false;   ///< it is there
    const char* files[function_count]{}; ///< null: none; "": the executable itself
    const char* next_malloc =
        nullptr; ///< the second that defines malloc: what a library in front passes it to
};

/// Fills in. Without dlsym, for two reasons: it allocates a message when a symbol is missing, in the middle of the
/// allocator's start; and it takes for a definition what is only a non-PIE executable's entry for a foreign function.
void find_providers(providers& into) noexcept;

/// Makes the heap of this process one that was long in use, as LINN_LITTER says: blocks of the sizes in its file, by the
/// program's malloc, half of which are freed in another order. Says in `into` what that was and took. Does nothing
/// where the variable is not set, or names no such file. @source van Kempen and Berger, littering, 2026
void litter_heap(char** variables, litter& into) noexcept;

} // namespace linn::tool::probe
