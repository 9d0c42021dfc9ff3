// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_SERVICE_HPP
#define LINN_DETAIL_CORE_SERVICE_HPP

#include <linn/config.hpp>

namespace linn::inline LINN_ABI::detail {

/// How a pool or a resource serves: decided once, when its depots are made.
enum class service : unsigned char {
    cached, ///< threads hold caches
    direct, ///< each call goes to the slabs and is checked there: checked builds, and where there is a limit
    bypass, ///< each object is an `operator new`, so that a memory checker sees it
};

} // namespace linn::inline LINN_ABI::detail

#endif
