// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_POOL_DESCRIPTION_HPP
#define LINN_DETAIL_CORE_POOL_DESCRIPTION_HPP

#include <linn/config.hpp>
#include <linn/detail/core/geometry.hpp>

#include <cstddef>
#include <string_view>

namespace linn::inline LINN_ABI::detail {

/// How a pool or a resource serves: decided once, when its depots are made.
enum class service : unsigned char {
    cached, ///< threads hold caches
    direct, ///< each call goes to the slabs and is checked there: checked builds, and where there is a limit
    bypass, ///< each object is an `operator new`, so that a memory checker sees it
};

/// What a pool is, as constants of its type; copied into its depot.
struct pool_description {
    geometry sizes;
    std::size_t object_bytes = 0;
    std::size_t object_align = 0;
    std::string_view type;

    /// The same type and options: what different modules of a program call by one name is one pool.
    friend constexpr bool operator==(const pool_description&, const pool_description&) = default;
};

} // namespace linn::inline LINN_ABI::detail

#endif
