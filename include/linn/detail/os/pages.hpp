// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_PAGES_HPP
#define LINN_DETAIL_OS_PAGES_HPP

#include <linn/config.hpp>

#if defined(__unix__) || defined(__APPLE__)
#include <linn/detail/os/pages_posix.hpp>
#elif defined(_WIN32)
#include <linn/detail/os/pages_windows.hpp>
#else
#include <linn/detail/os/pages_heap.hpp>
namespace linn::inline LINN_ABI::detail {
struct system_pages : heap_pages {};
} // namespace linn::inline LINN_ABI::detail
#endif

#endif
