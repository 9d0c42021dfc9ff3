// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_USDT_HPP
#define LINN_DETAIL_OS_USDT_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

// Static probes of user space: with LINN_USDT a note in the executable and a no-operation where each lies, which bpftrace, perf,
// SystemTap and gdb find by name, `linn:refill`. Without it nothing. Their first two arguments are the letters of the pool's
// type and their number.
#if LINN_USDT
#if !__has_include(<sys/sdt.h>)
#error                                                                                                       \
    "LINN_USDT needs <sys/sdt.h>: install systemtap-sdt-dev (Fedora: systemtap-sdt-devel), or do not define LINN_USDT"
#else
#include <sys/sdt.h>

#include <cstddef>
// A whole word each: gdb knows no register called "r12b", in which a bool may be.
#define LINN_DETAIL_PROBE(name, type, first, second)                                                         \
    STAP_PROBE4(linn, name, (type).data(), (type).size(), static_cast<std::size_t>(first),                   \
                static_cast<std::size_t>(second))
#endif
#else
#define LINN_DETAIL_PROBE(name, type, first, second) static_cast<void>(0)
#endif

#endif
#endif
