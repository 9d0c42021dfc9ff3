// SPDX-License-Identifier: Apache-2.0
#include "attached.hpp"

#include "../../interpose/operators.hpp"
#include "../../interpose/raw.hpp"
#include "../../interpose/real.hpp"
#include "../attach/door.hpp"
#include "call_timer.hpp"
#include "chunk_windows.hpp"
#include "image.hpp"
#include "recorder.hpp"

#include <sys/mman.h>

#include <atomic>
#include <utility>

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

void close_ring_file() noexcept {
    if (const int fd = std::exchange(linn_attach_door.ring_fd, -1); fd >= 0) {
        ::syscall(SYS_close, static_cast<long>(fd));
    }
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
    return !current_recording.ring || give_ring_back() ? answer::done : answer::busy;
}

/// The hooks only pass on until all are in; then all threads begin to record at once. linn has made `ring_fd` a ring.
answer enter(std::uint32_t chunks) noexcept {
    if (slots::are_in() && is_recording() && collector_lives(0)) {
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
    const std::size_t bytes = wire::ring::header_bytes(chunks);
    void* const memory =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, linn_attach_door.ring_fd, 0);
    if (memory == MAP_FAILED) {
        return answer::no_memory;
    }
    const wire::ring ring{memory};
    windows.begin(std::exchange(linn_attach_door.ring_fd, -1));
    bool is_room = windows.map(ring, 0);
    if (is_room) {
        find_program_functions();
        find_operators(own_place::last);
        prepare_attached(ring);
        calibrate_call_timer();
        is_room = slots::put_in(ring.header().options.fills);
    }
    if (!is_room) {
        current_recording.ring = ring;
        forget_ring();
        return answer::no_memory;
    }
    let_record();
    linn_attach_door.is_in = 1;
    start_recording();
    return answer::done;
}

void answer_with(answer said) noexcept {
    __atomic_store_n(&linn_attach_door.said, said, __ATOMIC_SEQ_CST);
}

// The calls of linn.

/// The program makes the file, and linn takes a copy of the descriptor: linn may look at the program, but the program need not be allowed
/// to look at linn.
void open_ring_for_linn() noexcept {
    const kept_errno saved;
    constexpr long close_on_exec = 1;
    close_ring_file(); // of a linn that was killed
    linn_attach_door.ring_fd = static_cast<int>(::syscall(SYS_memfd_create, "linn-record", close_on_exec));
    answer_with(answer::none);
}
void enter_for_linn(std::uint32_t chunks) noexcept {
    const kept_errno saved;
    answer_with(enter(chunks));
    close_ring_file();
}
void leave_for_linn() noexcept {
    const kept_errno saved;
    close_ring_file();
    answer_with(answer::none);
    answer_with(leave());
}

__attribute__((constructor)) void open_door() noexcept {
    linn_attach_door.open_ring = reinterpret_cast<std::uint64_t>(&open_ring_for_linn);
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
