// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_SYMBOLS_HPP
#define LINN_DETAIL_OS_SYMBOLS_HPP

#include <linn/config.hpp>

#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#if LINN_CHECKED && __has_include(<dlfcn.h>)
#include <dlfcn.h>
#define LINN_DETAIL_DLADDR 1
#endif

namespace linn::inline LINN_ABI::detail {

/// Writes a line about a return address, as `_Z5closeP5order+0x1d (/usr/bin/shop+0x12f3)`: what the
/// dynamic linker knows of the function (link with -rdynamic to let it know more), and what
/// `addr2line -e /usr/bin/shop 0x12f3` wants. Allocates nothing. The address only in builds that are not checked.
/// @returns characters, as snprintf does
inline int describe_caller(char* text, std::size_t bytes, const void* address) noexcept {
    // The call itself, whose line is meant: the return address may belong to the next line.
    const auto call = reinterpret_cast<std::uintptr_t>(address) - 1;
#ifdef LINN_DETAIL_DLADDR
    ::Dl_info info;
    if (::dladdr(reinterpret_cast<const void*>(call), &info) != 0 && info.dli_fname != nullptr) {
        const std::uintptr_t in_module = call - reinterpret_cast<std::uintptr_t>(info.dli_fbase);
        if (info.dli_sname != nullptr) {
            return std::snprintf(text, bytes, "%s+0x%" PRIxPTR " (%s+0x%" PRIxPTR ")", info.dli_sname,
                                 call - reinterpret_cast<std::uintptr_t>(info.dli_saddr), info.dli_fname,
                                 in_module);
        }
        return std::snprintf(text, bytes, "(%s+0x%" PRIxPTR ")", info.dli_fname, in_module);
    }
#endif
    return std::snprintf(text, bytes, "(0x%" PRIxPTR ")", call);
}

} // namespace linn::inline LINN_ABI::detail

#undef LINN_DETAIL_DLADDR
#endif
