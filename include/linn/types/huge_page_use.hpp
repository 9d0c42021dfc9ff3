// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TYPES_HUGE_PAGE_USE_HPP
#define LINN_TYPES_HUGE_PAGE_USE_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

namespace linn::inline LINN_ABI {

/// Which pages a large buffer lies on: what is asked for, and what was obtained.
enum class huge_page_use : unsigned char {
    off,         ///< the system's usual pages
    transparent, ///< huge pages that the kernel is asked to form (Linux: MADV_HUGEPAGE), and forms as it can
    reserved,    ///< huge pages that the administrator set aside (Linux: hugetlb, 2 MiB)
};

} // namespace linn::inline LINN_ABI

#endif
#endif
