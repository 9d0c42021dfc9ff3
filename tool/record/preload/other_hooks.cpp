// SPDX-License-Identifier: Apache-2.0
// What is noticed beside allocations: zero fills of fresh blocks, and the unloading of files. Not dlopen: its caller
// decides where it looks, and that would be us.
#include "image.hpp"
#include "operators.hpp"
#include "real.hpp"
#include "recorder.hpp"

namespace linn::tool::preload {
namespace {

[[gnu::always_inline]] inline void see_fill(const void* to, int value, std::size_t bytes) noexcept {
    if (bytes < probing.smallest_fill || value != 0) [[likely]]
        return;
    const auto address = reinterpret_cast<std::uintptr_t>(to);
    const thread_writer* const w = this_thread.active;
    if (w != nullptr && address - w->last_address < w->last_bytes)
        record_slowly(stack_pointer(), {event_kind::fill, allocation_call::none, 0, address, 0, bytes});
}

__attribute__((constructor)) void start() noexcept {
    find_real_functions();
    find_operators();
    start_recording();
}

} // namespace
} // namespace linn::tool::preload

using namespace linn::tool::preload;

extern "C" __attribute__((visibility("default"))) void* memset(void* to, int value,
                                                               std::size_t bytes) noexcept {
    see_fill(to, value, bytes);
    return real.memset(to, value, bytes);
}

extern "C" __attribute__((visibility("default"))) void* __memset_chk(void* to, int value, std::size_t bytes,
                                                                     std::size_t room) noexcept {
    if (bytes <= room)
        see_fill(to, value, bytes);
    find_real_functions();
    if (real.memset_chk != nullptr)
        return real.memset_chk(to, value, bytes, room);
    if (bytes > room)
        __builtin_trap();
    return real.memset(to, value, bytes);
}

extern "C" __attribute__((visibility("default"))) int dlclose(void* handle) noexcept {
    find_real_functions();
    if (real.dlclose == nullptr)
        return -1;
    if (!is_recording())
        return real.dlclose(handle);
    int result = 0;
    {
        const linn::tool::unwind::unloading forgets;
        result = real.dlclose(handle);
    }
    record_unloading();
    return result;
}
