// SPDX-License-Identifier: Apache-2.0
// What is noticed besides allocations: zero fills of fresh blocks, and the unloading of files. Not dlopen: its caller
// decides where it looks, and that would be us.
#include "../../interpose/operators.hpp"
#include "../../interpose/real.hpp"
#include "image.hpp"
#include "recorder.hpp"
#include "slots.hpp"

namespace linn::tool::preload {
namespace {

#ifndef LINN_RECORD_SAMPLES // a sample has no fills

/// Whether zeros of some length are written into a block that this thread has just got.
bool is_fill_of_block(const void* to, std::size_t bytes) noexcept {
    const thread_writer* const w = this_thread.active;
    return w != nullptr && is_fresh(*w, reinterpret_cast<std::uintptr_t>(to), bytes);
}

/// Zeros from here on are timed by the CPU time of the thread, which costs a system call; below, by the counter, which goes
/// on while another thread has the processor.
constexpr std::size_t timed_by_the_kernel = std::size_t{64} << 10;

std::uint64_t ticks_of_thread() noexcept {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    const double ns = static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
    return static_cast<std::uint64_t>(ns * probing.ticks_per_ns);
}

/// memset() of a range for which is_fill_of_block() can be true. A hook ends with it, so that its caller is the hook's.
[[gnu::noinline]] void* fill(void* to, std::size_t bytes) noexcept {
    if (!is_fill_of_block(to, bytes)) {
        return real.memset(to, 0, bytes);
    }
    const unwind::frame_start from = unwind::here();
    const bool is_large = bytes >= timed_by_the_kernel;
    const std::uint64_t begin = is_large ? ticks_of_thread() : ticks();
    real.memset(to, 0, bytes);
    const std::uint64_t took = (is_large ? ticks_of_thread() : ticks()) - begin;
    record_slowly(from, {event_kind::fill, allocation_call::none, 0, reinterpret_cast<std::uintptr_t>(to),
                         took, bytes});
    return to;
}

/// What most calls are: another value, or few bytes.
[[gnu::always_inline]] inline bool is_small(int value, std::size_t bytes) noexcept {
    return bytes < probing.smallest_fill || value != 0;
}

#endif

__attribute__((constructor)) void start() noexcept {
    if (!may_be_preloaded()) {
        return; // a running program has opened the library: attached.cpp
    }
    find_real_functions();
    find_operators();
    calibrate_call_timer();
    start_recording();
}

} // namespace
} // namespace linn::tool::preload

using namespace linn::tool::preload;

#ifndef LINN_RECORD_SAMPLES
extern "C" __attribute__((visibility("default"))) void* memset(void* to, int value,
                                                               std::size_t bytes) noexcept {
    return is_small(value, bytes) ? real.memset(to, value, bytes) : fill(to, bytes);
}

extern "C" __attribute__((visibility("default"))) void bzero(void* to, std::size_t bytes) noexcept {
    is_small(0, bytes) ? real.memset(to, 0, bytes) : fill(to, bytes);
}

extern "C" __attribute__((visibility("default"))) void* __memset_chk(void* to, int value, std::size_t bytes,
                                                                     std::size_t room) noexcept {
    // What is in order is checked: the rest, and who does not know how much room there is, ends the program.
    if (bytes <= room) [[likely]] {
        return is_small(value, bytes) ? real.memset(to, value, bytes) : fill(to, bytes);
    }
    find_real_functions();
    if (real.memset_chk != nullptr) {
        return real.memset_chk(to, value, bytes, room);
    }
    __builtin_trap();
}
#endif

extern "C" __attribute__((visibility("default"))) int dlclose(void* handle) noexcept {
    find_real_functions();
    if (real.dlclose == nullptr) {
        return -1;
    }
    const slots::unmapping touches_no_slot;
    if (!is_recording()) {
        return real.dlclose(handle);
    }
    int result = 0;
    {
        const linn::tool::unwind::unloading forgets;
        result = real.dlclose(handle);
    }
    record_unloading();
    return result;
}
