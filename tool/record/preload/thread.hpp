// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../interpose/raw.hpp"
#include "../../trace/chunk.hpp"
#include "../../trace/event.hpp"
#include "call_timer.hpp"
#include "unwind/capture.hpp"

#include <atomic>
#include <cstdint>

namespace linn::tool::preload {

/// Who writes a stream: a thread, or a signal handler that interrupted it while it wrote.
struct thread_writer {
    wire::encoder out;
    std::uintptr_t entered;   ///< where the stack of the hook ends that writes, or wrote last
    bool has_probe;           ///< look at probe_address when the allocator is entered next
    std::uint32_t chunk;      ///< index in the ring
    std::uint32_t next_look;  ///< bytes of the chunk from which on the thread's name is looked at again
    wire::chunk_header state; ///< of the next chunk
    std::uint64_t dropped;    ///< events, not told yet
    std::uint64_t probe_address;
    std::uint32_t probe_stack;
    char name[16];                     ///< of the thread, as told last
    struct thread_state* thread;       ///< whose it is
    std::atomic<std::uint32_t>* owner; ///< the pool's word for it
};

/// A call to the program's own operator new or delete is under way: the next call of the malloc family that fits is its
/// work, and was recorded with it.
struct inner_call {
    enum : std::uint8_t { none, allocation, release };
    std::uint8_t kind;
    std::uintptr_t what; ///< bytes, or the address
};

/// What a thread has; zero at first. Also a signal handler's, who must take care not to disturb whom it interrupted.
struct thread_state {
    static constexpr unsigned levels = 3; ///< signal handlers that interrupt each other in the recorder

    /// The thread's own writer; null while it is in use, while it is hidden for the sake of `inner`, or if there is none.
    thread_writer* active;
    thread_writer* main;
    struct {
        thread_writer* writer;
        bool is_busy;
    } nested[levels];
    unwind::thread_stacks stacks;
    inner_call inner;
    event_cost cost;
    call_timer timer;
    std::uint32_t number;            ///< of the thread, over the whole recording
    std::uint8_t rounds;             ///< of destructors that this thread has seen
    sampling::byte_sampler sampling; ///< of liblinn-sample.so
    std::uint32_t recording;         ///< that `main` belongs to: recording_number
    std::uint32_t slow_calls;        ///< of this thread, as slow_section counts them
};

extern constinit thread_local thread_state this_thread __attribute__((tls_model("initial-exec")));

/// True if this thread was interrupted while it recorded.
inline bool is_in_hook() noexcept {
    return this_thread.main != nullptr && this_thread.active == nullptr &&
           this_thread.inner.kind == inner_call::none;
}

/// Counts recordings of one program: each attachment is another. 0 where the recorder was preloaded.
extern std::uint32_t recording_number;

/// While one lives, the thread may use what is shared with the collector by other ways than a writer's chunk. Counted only where
/// the recording can end before the program does.
class slow_section {
public:
    slow_section() noexcept;
    slow_section(const slow_section&) = delete;
    slow_section& operator=(const slow_section&) = delete;
    ~slow_section();

private:
    bool is_counted_;
};

/// Whether no thread uses what is shared with the collector. Exact where the others stand still, or where the caller has made
/// every thread see that the recording is off.
bool are_threads_out() noexcept;

/// Makes the next event of every thread take the slow way, which asks whether anything is recorded. False if one would not have.
bool stop_writers() noexcept;

/// Takes every thread's chunk away. @pre are_threads_out()
void retire_writers() noexcept;

/// Forgets what a thread had in an earlier recording.
void renew_thread(thread_state& thread) noexcept;

/// Once, before the first writer.
void prepare_threads() noexcept;

/// In the child's only thread.
void threads_after_fork() noexcept;

/// A writer for the calling thread; null if there is no memory. Never in use by two.
thread_writer* attach_writer(thread_state& thread, std::uint8_t nested) noexcept;

/// Gives the writer's chunk to the collector, if it has one. `is_whole`: the writer was not cut off in an entry.
void hand_over(thread_writer& writer, bool is_whole = true) noexcept;

/// True in a child for the writer of a hook that a signal handler interrupted to fork: what it writes goes nowhere, the
/// parent tells it.
bool is_left_over(const thread_writer& writer) noexcept;

/// Room for a record of so many bytes, then an event and its stack, in another chunk if need be, for which it may wait for the
/// collector. False where events must be dropped.
bool ensure_room(thread_writer& writer, std::size_t bytes) noexcept;

/// Writes the thread's name if it is another than was told last.
void tell_name(thread_writer& writer) noexcept;

} // namespace linn::tool::preload
