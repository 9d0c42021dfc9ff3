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

#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <atomic>
#include <utility>

extern "C" {
__attribute__((visibility("default"))) constinit linn::tool::attach::door linn_attach_door{};
}

// linn calls this in a thread that it has stopped somewhere: nothing here is a cancellation point, changes errno, or
// allocates from the program's heap.
namespace linn::tool::preload {
namespace {

using attach::answer;
using attach::phase;

constexpr unsigned most_wait_for_linn = 5000; // ms
constexpr unsigned most_wait_for_threads = 500;

constinit std::atomic<bool> is_leaving{false};

void say(phase now) noexcept {
    __atomic_store_n(&linn_attach_door.at, now, __ATOMIC_SEQ_CST);
}

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

bool is_linn_alive() noexcept {
    return ::kill(static_cast<pid_t>(linn_attach_door.collector), 0) == 0 || errno != ESRCH;
}

/// Waits until `is_so`, or until linn is gone or does not answer.
template <typename Condition>
bool wait_for_linn(Condition is_so) noexcept {
    for (unsigned waited = 0; waited != most_wait_for_linn && is_linn_alive(); ++waited) {
        if (is_so()) {
            return true;
        }
        nap(1000);
    }
    return is_so();
}

/// The program makes the file, and linn opens it through /proc: linn may look at the program, but the program need not be
/// allowed to look at linn.
class shared_file {
public:
    shared_file() noexcept
        : fd_(static_cast<int>(::syscall(SYS_memfd_create, "linn-record", 1L /* closed by exec */))) {}
    shared_file(const shared_file&) = delete;
    shared_file& operator=(const shared_file&) = delete;
    ~shared_file() {
        if (fd_ >= 0) {
            ::syscall(SYS_close, static_cast<long>(fd_));
        }
        if (memory_ != MAP_FAILED && !is_kept_) {
            ::munmap(memory_, wire::ring::header_bytes(chunks_));
        }
    }

    /// Takes the addresses for the begin of the ring, whose size linn sets then.
    bool map(std::uint32_t chunks) noexcept {
        chunks_ = chunks;
        bytes_ = wire::ring::file_bytes(chunks);
        if (fd_ >= 0) {
            memory_ =
                ::mmap(nullptr, wire::ring::header_bytes(chunks), PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
        }
        return memory_ != MAP_FAILED;
    }
    int fd() const noexcept { return fd_; }
    /// The descriptor is the caller's from now on.
    int release_fd() noexcept { return std::exchange(fd_, -1); }
    bool is_ring() const noexcept {
        struct stat status{};
        return ::fstat(fd_, &status) == 0 && static_cast<std::size_t>(status.st_size) >= bytes_ &&
               wire::ring{memory_}.usable(bytes_);
    }
    wire::ring ring() const noexcept { return wire::ring{memory_}; }
    void keep() noexcept { is_kept_ = true; }

private:
    int fd_;
    void* memory_ = MAP_FAILED;
    std::uint32_t chunks_ = 0;
    std::size_t bytes_ = 0; ///< of the file
    bool is_kept_ = false;
};

/// Gives the shared memory back once no thread uses it. False if one still does after some time.
bool end_recording() noexcept {
    for (unsigned waited = 0; waited != most_wait_for_threads && !are_threads_out(); ++waited) {
        nap(200); // what has begun is still recorded
    }
    stop_recording();
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

bool is_inside() noexcept {
    return is_in_hook() || this_thread.slow_calls != 0;
}

answer leave() noexcept {
    if (is_inside() || is_leaving.exchange(true, std::memory_order_seq_cst)) {
        return answer::busy;
    }
    answer said = answer::done;
    if (slots::are_in() && !slots::take_out()) {
        said = answer::busy;
    } else {
        say(phase::out);
        if (current_recording.ring && !end_recording()) {
            said = answer::still_used;
        }
        say(phase::idle);
    }
    is_leaving.store(false, std::memory_order_seq_cst);
    return said;
}

answer enter() noexcept {
    attach::door& door = linn_attach_door;
    if (slots::are_in() && is_recording() && collector_lives(0)) {
        return answer::in_use;
    }
    // What a linn that was killed has left.
    if ((slots::are_in() || current_recording.ring) && leave() != answer::done) {
        return answer::busy;
    }
    shared_file file;
    if (!file.map(door.chunks)) {
        return answer::no_memory;
    }
    door.ring_fd = file.fd();
    say(phase::wants_ring);
    const bool is_ring = wait_for_linn([&] { return file.is_ring(); });
    door.ring_fd = -1;
    if (!is_ring) {
        say(phase::idle);
        return answer::no_ring;
    }
    windows.begin(file.release_fd());
    const auto refuse = [&file](answer why) noexcept {
        windows.forget(file.ring());
        current_recording.ring = {};
        say(phase::idle);
        return why;
    };
    if (!windows.map(file.ring(), 0)) {
        return refuse(answer::no_memory);
    }
    find_program_functions();
    find_operators(own_place::last);
    prepare_attached(file.ring());
    calibrate_call_timer();
    const wire::ring_options& options = file.ring().header().options;
    if (!slots::collect(options.fills ? slots::wanted::fills_too : slots::wanted::allocations)) {
        return refuse(answer::no_memory);
    }
    make_all_see();
    door.slots = reinterpret_cast<std::uint64_t>(slots::table());
    door.slot_count = slots::count();
    door.sees_new_files = slots::sees_new_files() ? 1 : 0;
    say(phase::wants_go);
    if (!wait_for_linn([&] { return __atomic_load_n(&door.go, __ATOMIC_SEQ_CST) != 0; })) {
        return refuse(answer::not_allowed);
    }
    file.keep();
    let_record();
    slots::put_in();
    say(phase::in);
    start_recording();
    return answer::done;
}

void answer_with(answer (*call)() noexcept) noexcept {
    const kept_errno saved;
    linn_attach_door.said = answer::none;
    const answer said = call();
    __atomic_store_n(&linn_attach_door.said, said, __ATOMIC_SEQ_CST);
}

/// The calls of linn.
void enter_door() noexcept {
    answer_with(enter);
}
void leave_door() noexcept {
    const bool stand_still = linn_attach_door.go != 0;
    if (stand_still && !is_inside()) {
        release_stacks();
    }
    answer_with(leave);
}

__attribute__((constructor)) void open_door() noexcept {
    linn_attach_door.enter = reinterpret_cast<std::uint64_t>(&enter_door);
    linn_attach_door.leave = reinterpret_cast<std::uint64_t>(&leave_door);
}

} // namespace

void leave_by_ourselves() noexcept {
    const kept_errno saved;
    leave();
}

void attached_after_fork() noexcept {
    is_leaving.store(false, std::memory_order_relaxed);
    slots::after_fork();
}

} // namespace linn::tool::preload
