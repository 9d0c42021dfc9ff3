// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure.hpp"

namespace linn::bench {

/// Plain new and delete: whatever allocator the process was started with.
struct general_storage {
    static node* take() { return new node; }
    static void give(node* p) noexcept { delete p; }
};

} // namespace linn::bench
