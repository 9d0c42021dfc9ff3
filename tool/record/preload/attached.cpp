// SPDX-License-Identifier: Apache-2.0
#include "attached.hpp"

#include "../../interpose/operators.hpp"
#include "../../interpose/raw.hpp"
#include "../../interpose/real.hpp"
#include "call_timer.hpp"
#include "chunk_windows.hpp"
#include "image.hpp"
#include "recorder.hpp"
#include "slots.hpp"

#include <sys/mman.h>
#include <sys/resource.h>

#include <atomic>

extern "C" {
__attribute__((visibility("default"))) constinit linn::tool::attach::door linn_attach_door{};
}

namespace linn::tool::preload {
namespace {

using attach::answer;

constexpr unsigned most_wait_for_threads = 500; // ms

constinit std::atomic<bool> is_changing{false}; ///< a thread enters or leaves

/// Not by nanosleep: the kernel would forget the one that the thread may have been in when linn stopped it.
void nap(long microseconds) noexcept {
    const timespec time{0, microseconds * 1000};
    ::syscall(SYS_ppoll, nullptr, 0L, &time, nullptr, 0L);
}

/// Every thread of the process sees what was written before, and what it wrote before is seen.
void make_all_see() noexcept {
    constexpr long global = 1;
    constexpr long private_expedited = 1 << 3;
    constexpr long register_private_expedited = 1 << 4;
    ::syscall(SYS_membarrier, register_private_expedited, 0L, 0L);
    if (::syscall(SYS_membarrier, private_expedited, 0L, 0L) != 0) {
        ::syscall(SYS_membarrier, global, 0L, 0L);
    }
}

/// Gives the shared memory back once no thread uses it. False if one still does after some time.
bool give_ring_back() noexcept {
    for (unsigned waited = 0; waited != most_wait_for_threads; ++waited) {
        const bool were_stopped = stop_writers();
        make_all_see();
        if (were_stopped && are_threads_out()) {
            retire_writers();
            forget_ring();
            return true;
        }
        nap(waited == 0 ? 1 : 1000);
    }
    return false;
}

/// The threads stop recording while all hooks are in: none misses a call between two that it records. Until the hooks are out, they only
/// pass on.
answer leave() noexcept {
    const turn mine{is_changing};
    if (!mine || is_in_hook() || this_thread.slow_calls != 0) {
        return answer::busy;
    }
    if (current_recording.ring) {
        stop_recording();
        stop_writers();
    }
    if (slots::are_in() && !slots::take_out()) {
        return answer::busy;
    }
    linn_attach_door.is_in = 0;
    return !current_recording.ring || give_ring_back() ? answer::done : answer::stuck;
}

/// A new ring, in a file whose descriptor linn takes a copy of: linn may look at the program, but the program need not be allowed to look
/// at linn. None where limits of the process do not allow it.
wire::ring make_ring(std::uint32_t chunks) noexcept {
    rlimit limit{}; // beyond it the system would end the program
    ::getrlimit(RLIMIT_FSIZE, &limit);
    constexpr long close_on_exec = 1;
    const std::size_t bytes = wire::ring::file_bytes(chunks);
    const long fd = bytes <= limit.rlim_cur ? ::syscall(SYS_memfd_create, "linn-record", close_on_exec) : -1;
    void* memory = MAP_FAILED;
    if (fd >= 0 && ::syscall(SYS_ftruncate, fd, bytes) == 0) {
        memory = ::mmap(nullptr, wire::ring::header_bytes(chunks), PROT_READ | PROT_WRITE, MAP_SHARED,
                        static_cast<int>(fd), 0);
    }
    if (memory == MAP_FAILED) {
        ::syscall(SYS_close, fd);
        return {};
    }
    linn_attach_door.ring_fd = static_cast<std::int32_t>(fd);
    windows.begin(linn_attach_door.ring_fd);
    return wire::ring::create(memory, chunks, linn_attach_door.options);
}

/// The hooks only pass on until all are in; then all threads begin to record at once.
answer enter(std::uint32_t chunks) noexcept {
    if (slots::are_in() && is_recording() && collector_lives()) {
        return answer::in_use;
    }
    // What a linn that was killed has left.
    if ((slots::are_in() || current_recording.ring) && leave() != answer::done) {
        return answer::busy;
    }
    const turn mine{is_changing};
    if (!mine) {
        return answer::busy;
    }
    const wire::ring ring = make_ring(chunks);
    if (!ring) {
        return answer::no_memory;
    }
    find_program_functions();
    find_operators(own_place::last);
    prepare_attached(ring);
    calibrate_call_timer();
    if (!windows.map(ring, 0) || !slots::put_in(ring.header().options.fills)) {
        forget_ring();
        return answer::no_memory;
    }
    let_record();
    linn_attach_door.is_in = 1;
    start_recording();
    return answer::done;
}

// The calls of linn.

void enter_for_linn(std::uint32_t chunks) noexcept {
    const kept_errno saved;
    linn_attach_door.said = answer::none;
    linn_attach_door.said = enter(chunks);
}
void leave_for_linn() noexcept {
    const kept_errno saved;
    linn_attach_door.said = answer::none;
    linn_attach_door.said = leave();
}

__attribute__((constructor)) void open_door() noexcept {
    linn_attach_door.enter = reinterpret_cast<std::uint64_t>(&enter_for_linn);
    linn_attach_door.leave = reinterpret_cast<std::uint64_t>(&leave_for_linn);
}

} // namespace

void leave_by_ourselves() noexcept {
    const kept_errno saved;
    leave();
}

void attached_after_fork() noexcept {
    is_changing.store(false, std::memory_order_relaxed);
    slots::after_fork();
}

} // namespace linn::tool::preload
