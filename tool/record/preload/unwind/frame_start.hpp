// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace linn::tool::unwind {

inline constexpr unsigned most_frames = 64;

/// Where a walk begins: the caller of a hook, as it will be once the hook has returned.
struct frame_start {
    std::uintptr_t return_address;
    std::uintptr_t stack_pointer; ///< just above the return address: the hook's canonical frame address
    std::uintptr_t frame_pointer; ///< rbp as the caller left it
};

/// The caller of the function that this is written into, which must be the hook itself: neither inlined into another
/// function nor a part of one. Asking for it gives that function a frame pointer, regardless of the compiler's options.
[[gnu::always_inline]] inline frame_start here() noexcept {
    const auto* frame = static_cast<const std::uintptr_t*>(__builtin_frame_address(0));
    return {frame[1], reinterpret_cast<std::uintptr_t>(frame + 2), frame[0]};
}

} // namespace linn::tool::unwind
