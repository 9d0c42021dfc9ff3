// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "record/preload/unwind/walker.hpp"

#include <unwind.h>

#include <cstdint>
#include <cstring>

/// The stack as libgcc sees it, from the caller of a hook on, up to a signal's frame, where the recorder's ends too. Without the heap:
/// signal handlers use it, and jump out of it.
struct reference {
    const linn::tool::unwind::frame_start& start;
    unsigned depth;
    std::uintptr_t frames[linn::tool::unwind::most_frames];
    unsigned count = 0;
    bool begun = false;

    reference(const linn::tool::unwind::frame_start& from, unsigned most) : start(from), depth(most) {
        _Unwind_Backtrace(visit, this);
    }

    bool equals(const std::uintptr_t* other, unsigned other_count) const {
        return other_count == count && std::memcmp(other, frames, count * sizeof *frames) == 0;
    }

    static _Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
        auto& to = *static_cast<reference*>(argument);
        int interrupted = 0;
        const std::uintptr_t ip = _Unwind_GetIPInfo(context, &interrupted);
        to.begun =
            to.begun || (_Unwind_GetCFA(context) == to.start.stack_pointer && ip == to.start.return_address);
        if (to.begun && interrupted != 0) {
            return _URC_END_OF_STACK;
        }
        if (to.begun && ip != 0) {
            to.frames[to.count++] = ip;
        }
        return to.count == to.depth ? _URC_END_OF_STACK : _URC_NO_REASON;
    }
};
