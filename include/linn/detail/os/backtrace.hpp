// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_BACKTRACE_HPP
#define LINN_DETAIL_OS_BACKTRACE_HPP

#include <linn/config.hpp>

#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#if LINN_CHECKED && defined(LINN_DETAIL_UNWIND)
#include <unwind.h>
#endif

#if LINN_CHECKED && !defined(_WIN32) && __has_include(<dlfcn.h>)
#include <dlfcn.h>
#define LINN_DETAIL_DLADDR 1
#endif

namespace linn::inline LINN_ABI::detail {

/// Writes up to `most` return addresses of the calling thread, the innermost first, beginning with
/// `first`: what is further inside is the pool's own. Where the stack cannot be walked, `first` alone.
/// Neither allocates nor needs frame pointers. Nothing but in checked builds.
/// @returns how many
/// @complexity about a hundred nanoseconds a frame
[[LINN_DETAIL_NOINLINE]] inline std::size_t capture_callers([[maybe_unused]] const void** frames,
                                                            [[maybe_unused]] std::size_t most,
                                                            [[maybe_unused]] const void* first) noexcept {
    if (first == nullptr || most == 0) {
        return 0;
    }
#if LINN_CHECKED && defined(LINN_DETAIL_UNWIND)
    struct walk {
        const void** frames;
        std::size_t most;
        const void* first;
        std::size_t count = 0;
        std::size_t passed = 0;

        static _Unwind_Reason_Code step(_Unwind_Context* context, void* argument) noexcept {
            walk& w = *static_cast<walk*>(argument);
            const auto at = static_cast<std::uintptr_t>(_Unwind_GetIP(context));
            const auto* address = reinterpret_cast<const void*>(at);
            constexpr std::size_t frames_of_the_pool = 16;
            if (w.count == 0 && address != w.first) {
                return ++w.passed < frames_of_the_pool ? _URC_NO_REASON : _URC_END_OF_STACK;
            }
            if (address == nullptr) {
                return _URC_END_OF_STACK;
            }
            w.frames[w.count++] = address;
            return w.count < w.most ? _URC_NO_REASON : _URC_END_OF_STACK;
        }
    };
    walk w{frames, most, first};
    _Unwind_Backtrace(&walk::step, &w);
    if (w.count != 0) {
        return w.count;
    }
#endif
    frames[0] = first;
    return 1;
}

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
