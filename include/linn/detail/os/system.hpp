// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_SYSTEM_HPP
#define LINN_DETAIL_OS_SYSTEM_HPP

#include <linn/config.hpp>

// What the engine of the pools needs of the system besides os/threads.hpp: pages, clocks, and waiting. docs/design/porting.md says what
// each function promises.
#if defined(__linux__)
#include <linn/detail/os/linux/system.hpp>
#elif defined(__APPLE__)
#include <linn/detail/os/darwin/system.hpp>
#elif defined(__unix__)
#include <linn/detail/os/bsd/system.hpp>
#elif defined(_WIN32)
#include <linn/detail/os/windows.hpp>
#endif

#endif
