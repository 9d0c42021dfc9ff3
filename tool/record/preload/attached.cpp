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

#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>

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

/// Gives the shared memory back once no thread uses it. False if one still does after some time.
bool give_ring_back() noexcept {
    for (unsigned waited = 0; waited != most_wait_for_threads; ++waited) {
        const bool were_stopped = stop_writers();
        // Every thread sees what was written before, and what it wrote before is seen.
        ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
        ::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
        if (were_stopped && are_threads_out()) {
            retire_writers();
            forget_ring();
            return true;
        }
        nap(waited == 0 ? 1 : 1000);
    }
    return false;
}

/// A new ring, in a file whose descriptor linn takes a copy of: linn may look at the program, but the program need not be allowed to look
/// at linn. None where limits of the process do not allow it.
wire::ring make_ring(std::uint32_t chunks) noexcept {
    rlimit limit{}; // beyond it the system would end the program
    ::getrlimit(RLIMIT_FSIZE, &limit);
    const std::size_t bytes = wire::ring::file_bytes(chunks);
    const int fd = bytes <= limit.rlim_cur ? ::memfd_create("linn-record", MFD_CLOEXEC) : -1;
    void* memory = MAP_FAILED;
    if (fd >= 0 && ::ftruncate(fd, static_cast<off_t>(bytes)) == 0) {
        memory = ::mmap(nullptr, wire::ring::header_bytes(chunks), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    if (memory == MAP_FAILED) {
        ::syscall(SYS_close, static_cast<long>(fd)); // close() is where a thread can be cancelled
        return {};
    }
    linn_attach_door.ring_fd = fd;
    windows.begin(fd);
    return wire::ring::create(memory, chunks, linn_attach_door.options);
}

/// The hooks only pass on until all are in; then all threads begin to record at once.
answer enter(std::uint32_t chunks) noexcept {
    const kept_errno saved;
    if (slots::are_in() && is_recording() && collector_lives()) {
        return answer::in_use;
    }
    // What a linn that was killed has left.
    if ((slots::are_in() || current_recording.ring) && leave_recording() != answer::done) {
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

} // namespace

// The threads stop recording while all hooks are in: none misses a call between two that it records. Until the hooks are out, they only
// pass on.
attach::answer leave_recording() noexcept {
    const kept_errno saved;
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

void attached_after_fork() noexcept {
    is_changing.store(false, std::memory_order_relaxed);
    slots::after_fork();
}

} // namespace linn::tool::preload

using namespace linn::tool;

constinit attach::door linn_attach_door{.change = [](std::uint32_t chunks) noexcept {
    linn_attach_door.said = chunks != 0 ? preload::enter(chunks) : preload::leave_recording();
}};
