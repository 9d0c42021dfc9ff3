// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_BACKTRACE_HPP
#define LINN_DETAIL_OS_BACKTRACE_HPP

#include <linn/config.hpp>

#include <cstddef>
#include <cstdint>

#if LINN_CHECKED && __has_include(<unwind.h>)
#include <unwind.h>
#define LINN_DETAIL_UNWIND 1
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
#ifdef LINN_DETAIL_UNWIND
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

} // namespace linn::inline LINN_ABI::detail

#undef LINN_DETAIL_UNWIND
#endif
