// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_BUFFER_MAPPING_HPP
#define LINN_DETAIL_OS_BUFFER_MAPPING_HPP

#include <linn/config.hpp>
#include <linn/types/huge_page_use.hpp>

#include <cstddef>

namespace linn::inline LINN_ABI::detail {

struct buffer_request {
    std::size_t bytes; ///< a multiple of the page; of a huge page for `reserved`
    std::size_t align; ///< a power of two, at least a page
    huge_page_use huge;
};

/// Memory of one large buffer.
struct buffer_mapping {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    std::size_t align = 0;
    std::size_t guard_bytes = 0; ///< behind `bytes`: touching them is an error that shows
    huge_page_use huge = huge_page_use::off;
};

inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

} // namespace linn::inline LINN_ABI::detail

#endif
