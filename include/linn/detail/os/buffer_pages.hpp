// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_BUFFER_PAGES_HPP
#define LINN_DETAIL_OS_BUFFER_PAGES_HPP

#include <linn/config.hpp>

// The memory of large buffers. A system that has no file for it takes the plain one.
#if defined(__unix__) || defined(__APPLE__)
#include <linn/detail/os/posix/buffers.hpp>
#else
#include <linn/detail/os/plain/buffers.hpp>
#endif

#endif
