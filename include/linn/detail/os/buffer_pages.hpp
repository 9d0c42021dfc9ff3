// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_BUFFER_PAGES_HPP
#define LINN_DETAIL_OS_BUFFER_PAGES_HPP

#include <linn/config.hpp>

#if defined(__unix__) || defined(__APPLE__)
#include <linn/detail/os/buffer_pages_posix.hpp>
#else
#include <linn/detail/os/buffer_pages_heap.hpp>
namespace linn::inline LINN_ABI::detail {
using system_buffer_pages = heap_buffer_pages;
}
#endif

#endif
