// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_PAGE_SOURCE_HPP
#define LINN_DETAIL_CORE_PAGE_SOURCE_HPP

#include <linn/config.hpp>

#include <concepts>
#include <cstddef>

namespace linn::inline LINN_ABI::detail {

/// Where slabs come from. The seam through which tests inject failure.
template <class P>
concept page_source = requires(void* p, std::size_t bytes, std::size_t align) {
    { P::zeroed } -> std::convertible_to<bool>;               // whether map gives zeroed memory
    { P::map(bytes, align) } noexcept -> std::same_as<void*>; // aligned, or null
    { P::unmap(p, bytes, align) } noexcept;
    { P::discard(p, bytes) } noexcept -> std::same_as<bool>; // reads as zero afterwards, or false
    { P::prefer_huge(p, bytes) } noexcept;
    { P::prefer_small(p, bytes) } noexcept; // or pages that went back may come again, as parts of huge ones
    { P::readable(p) } noexcept -> std::same_as<bool>; // whether reading there could not crash
};

} // namespace linn::inline LINN_ABI::detail

#endif
