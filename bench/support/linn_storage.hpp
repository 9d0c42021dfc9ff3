// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure.hpp"

#include <linn/pool.hpp>

namespace linn::bench {

/// The pool of the process, inlined into the loop that measures it. Modules that are compiled with other
/// flags (pair_shared) have one of their own, in an unnamed namespace, so that the linker mixes nothing.
struct linn_storage {
    static node* take() { return pool<node>::allocate(); }
    static void give(node* p) noexcept { pool<node>::deallocate(p); }
};

} // namespace linn::bench
