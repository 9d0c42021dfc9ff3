// SPDX-License-Identifier: Apache-2.0
#include "thread.hpp"

#include "attached.hpp"
#include "image.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>

#include <cstring>
#include <new>

namespace linn::tool::preload {

constinit thread_local thread_state this_thread __attribute__((tls_model("initial-exec"))){};

constinit std::uint32_t recording_number = 0;

namespace {

/// In the place of an owner while reclaim() looks at it.
constexpr std::uint32_t nobody = 0xffff'ffff;

/// The memory of all writers. Grows, never shrinks; without locks. A writer whose thread has ended without giving it back
/// is found when the pool would have to grow.
class writer_pool {
public:
    struct slab {
        slab* older;
        std::uint32_t size;
        std::atomic<std::uint32_t>* owners; ///< 0: free
        unsigned char** limits;             ///< wiped by a fork
        thread_writer* writers;
    };

    /// A writer, all zero but for where its limit is; null if there is no memory. `owner`: the thread by the kernel's count.
    thread_writer* take(std::uint32_t owner) noexcept {
        for (bool has_reclaimed = false;; has_reclaimed = true) {
            slab* const newest = newest_.load(std::memory_order_acquire); // pairs with grow()
            for (slab* s = newest; s != nullptr; s = s->older) {
                for (std::uint32_t i = 0; i != s->size; ++i) {
                    std::uint32_t expected = 0;
                    if (s->owners[i].load(std::memory_order_relaxed) == 0 &&
                        // Pairs with the release in give_back().
                        s->owners[i].compare_exchange_strong(expected, owner, std::memory_order_acquire)) {
                        thread_writer* const writer = &s->writers[i];
                        std::memset(static_cast<void*>(writer), 0, sizeof *writer);
                        writer->owner = &s->owners[i];
                        s->limits[i] = nullptr;
                        writer->out.bind(&s->limits[i]);
                        return writer;
                    }
                }
            }
            if (newest != nullptr && !has_reclaimed) {
                reclaim();
            } else if (!grow(newest)) {
                return nullptr;
            }
        }
    }
    static void give_back(thread_writer* writer) noexcept {
        writer->owner->store(0, std::memory_order_release); // pairs with take()
    }
    /// Calls `visit(slab, index)` for each writer, also those that no thread has.
    template <class Visit>
    void for_each(Visit visit) noexcept {
        // Pairs with grow().
        for (slab* s = newest_.load(std::memory_order_acquire); s != nullptr; s = s->older) {
            for (std::uint32_t i = 0; i != s->size; ++i) {
                visit(*s, i);
            }
        }
    }

private:
    /// Puts a slab before the newest, as large as all others together or larger. False if there is no memory.
    bool grow(slab* newest) noexcept {
        const std::uint32_t size = newest == nullptr ? 32 : 2 * newest->size;
        const std::size_t bytes =
            sizeof(slab) + size * (sizeof(std::atomic<std::uint32_t>) + sizeof(thread_writer));
        auto* const memory = static_cast<unsigned char*>(zeroed_memory(bytes));
        auto* const limits = static_cast<unsigned char**>(wiped_memory(size * sizeof(unsigned char*)));
        if (memory == nullptr || limits == nullptr) {
            if (memory != nullptr) {
                ::munmap(memory, bytes);
            }
            return false;
        }
        auto* const writers = reinterpret_cast<thread_writer*>(memory + sizeof(slab));
        auto* const owners = reinterpret_cast<std::atomic<std::uint32_t>*>(writers + size);
        // Pairs with take() and for_each(). Where another thread was faster, its slab is as good, and ours is lost.
        newest_.compare_exchange_strong(newest, new (memory) slab{newest, size, owners, limits, writers},
                                        std::memory_order_acq_rel);
        return true;
    }
    void reclaim() noexcept {
        for_each([](slab& s, std::uint32_t i) {
            std::uint32_t owner = s.owners[i].load(std::memory_order_relaxed);
            const bool is_gone = owner != 0 && owner != nobody &&
                                 ::syscall(SYS_tgkill, current_image->kernel_pid, owner, 0) != 0 &&
                                 errno == ESRCH;
            if (is_gone && s.owners[i].compare_exchange_strong(owner, nobody)) {
                hand_over(s.writers[i], false);
                s.owners[i].store(0, std::memory_order_release); // pairs with take()
            }
        });
    }

    std::atomic<slab*> newest_;
};

constinit writer_pool pool{};
constinit std::atomic<std::uint32_t> slow_calls{0};
constinit pthread_key_t end_key;
constinit bool has_key = false;

/// Names are set when a thread has begun, or later: they are looked at again after so many bytes of a chunk, and whenever it
/// has grown to twice as much. Asking takes longer than ten events.
constexpr std::uint32_t first_look = 2048;

/// A signal handler may fork meanwhile: in the child `writer` is null then.
void leave(thread_writer*& writer) noexcept {
    thread_writer* const old = writer;
    if (old == nullptr) {
        return;
    }
    hand_over(*old);
    writer = nullptr;
    pool.give_back(old);
}

/// A thread's end, by its key. Other keys' destructors may come later, and the C library's own after all: the first
/// rounds only ask for another one. Who allocates after the last one gets a writer again, which is found ownerless later.
void thread_ends(void*) noexcept {
    thread_state& t = this_thread;
    if (++t.rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
        ::pthread_setspecific(end_key, &t);
        return;
    }
    const kept_errno saved;
    const slow_section counted;
    if (t.active == nullptr || is_new_image()) {
        return;
    }
    thread_writer& main = *t.main;
    t.active = nullptr;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (main.out.has_room(64)) {
        tell_name(main);
    }
    tell_cost(t.cost);
    tell_call_times(t.timer);
    for (auto& level : t.nested) {
        if (!level.is_busy) {
            leave(level.writer);
        }
    }
    leave(t.main);
    unwind::release(t.stacks);
}

/// Leaves the thread as one that was never in a hook, for another recording or in another process.
void forget_writers(thread_state& t) noexcept {
    t.active = nullptr;
    t.main = nullptr;
    for (auto& level : t.nested) {
        level = {};
    }
    t.inner = {};
    t.timer = {}; // the parent tells what it has measured
    t.number = 0;
    t.sampling = {}; // a new point is as good as the old one, and other points than the parent's
}

/// With so many groups of chunks mapped, a process waits for a collector that lags behind rather than take more addresses.
constexpr std::uint32_t most_groups_at_once = 2;

/// Mapped chunks that are on their way through the collector, and so will be free again.
std::uint32_t returning() noexcept {
    const wire::ring& ring = current_recording.ring;
    std::uint32_t found = 0;
    for (std::uint32_t i = 0; i != ring.chunk_count(); ++i) {
        const wire::chunk_state state = windows.has(i) ? ring.word(i).state : wire::chunk_state::free;
        found += state == wire::chunk_state::full || state == wire::chunk_state::taken ? 1U : 0U;
    }
    return found;
}

/// A handler that forks, or leaves by longjmp, sees a writer's chunk either taken and begun, or not at all; and leaves no descriptor
/// and no addresses behind.
class without_signals {
public:
    without_signals() noexcept { change(SIG_SETMASK, &all, &before_); }
    without_signals(const without_signals&) = delete;
    without_signals& operator=(const without_signals&) = delete;
    ~without_signals() { change(SIG_SETMASK, &before_, nullptr); }

private:
    static constexpr std::uint64_t all = ~std::uint64_t{0};

    // Not the C library's, which leaves out the signals that it needs itself.
    static void change(long how, const std::uint64_t* to, std::uint64_t* before) noexcept {
        ::syscall(SYS_rt_sigprocmask, how, to, before, sizeof all);
    }

    std::uint64_t before_ = 0;
};

/// Milliseconds without a returned chunk, after which a thread maps more.
constexpr unsigned patience = 20;

/// The index of a free chunk, or none; then `wait` is for how many milliseconds one is worth waiting for.
std::uint32_t claim(const thread_writer& writer, bool has_waited, unsigned& wait) noexcept {
    constexpr unsigned slice = 200;
    const wire::ring& ring = current_recording.ring;
    std::uint32_t back = 0;
    if (windows.mapped_groups() != 0) { // else no other process's chunks are worth waiting for
        wait = slice;
        if (ring.in_flight() >= wire::most_in_flight) {
            return wire::ring::none;
        }
        const auto is_mapped = [](std::uint32_t i) { return windows.has(i); };
        if (const std::uint32_t index = ring.claim(writer.state.pid, writer.state.tid, is_mapped);
            index != wire::ring::none) {
            return index;
        }
        back = returning();
    }
    // With less than a group on its way, most chunks are those of the process's many threads, which need more.
    if (windows.mapped_groups() >= most_groups_at_once && back >= chunk_windows::group && !has_waited) {
        wait = patience;
        return wire::ring::none;
    }
    bool is_possible = true;
    const auto can_map = [&](std::uint32_t i) { return is_possible && (is_possible = windows.map(ring, i)); };
    const std::uint32_t index = ring.claim(writer.state.pid, writer.state.tid, can_map);
    const bool does_one_return = back != 0 || (is_possible && ring.in_flight() != 0);
    wait = does_one_return ? slice : 0;
    return index;
}

/// False where nothing can be waited for.
bool begin_chunk(thread_writer& writer) noexcept {
    const wire::ring& ring = current_recording.ring;
    const wire::ring_header& h = ring.header();
    for (bool has_waited = false;;) {
        const std::uint32_t seen = h.emptied.load(std::memory_order_seq_cst);
        if (h.closed.load(std::memory_order_relaxed) != 0) {
            stop_recording();
            return false;
        }
        unsigned wait = 0;
        {
            const without_signals guard;
            const std::uint32_t index =
                is_left_over(writer) ? wire::ring::none : claim(writer, has_waited, wait);
            if (index != wire::ring::none) {
                writer.chunk = index;
                writer.state.first_ticks = ticks();
                writer.out.begin(windows.at(index), writer.state);
                ++writer.state.sequence;
                return true;
            }
        }
        if (wait == 0) {
            return false;
        }
        ring.wait_for_room(seen, wait);
        has_waited = h.emptied.load(std::memory_order_relaxed) == seen;
        if (has_waited && !collector_lives()) {
            stop_recording();
            return false;
        }
    }
}

} // namespace

slow_section::slow_section() noexcept : is_counted_(recording_number != 0) {
    if (is_counted_) {
        ++this_thread.slow_calls;
        // Pairs with are_threads_out(): one sees the other.
        slow_calls.fetch_add(1, std::memory_order_seq_cst);
    }
}

slow_section::~slow_section() {
    if (is_counted_) {
        slow_calls.fetch_sub(1, std::memory_order_seq_cst);
        --this_thread.slow_calls;
    }
}

bool are_threads_out() noexcept {
    if (slow_calls.load(std::memory_order_seq_cst) != 0) {
        return false;
    }
    bool is_any_in = false;
    pool.for_each([&](const writer_pool::slab& s, std::uint32_t i) {
        if (s.owners[i].load(std::memory_order_acquire) == 0) {
            return;
        }
        // By the kernel: the thread, and its memory, may be gone.
        thread_state copy{};
        const iovec to{static_cast<void*>(&copy), sizeof copy};
        const iovec from{s.writers[i].thread, sizeof copy};
        if (::syscall(SYS_process_vm_readv, static_cast<long>(own_pid()), &to, 1L, &from, 1L, 0L) ==
            static_cast<long>(sizeof copy)) {
            is_any_in = is_any_in || (copy.main != nullptr && copy.active == nullptr &&
                                      copy.inner.kind == inner_call::none);
        }
    });
    return !is_any_in;
}

bool stop_writers() noexcept {
    bool were_stopped = true;
    pool.for_each([&](writer_pool::slab& s, std::uint32_t i) {
        unsigned char* const before = __atomic_exchange_n(&s.limits[i], nullptr, __ATOMIC_SEQ_CST);
        were_stopped = were_stopped && before == nullptr;
    });
    return were_stopped;
}

void retire_writers() noexcept {
    pool.for_each([](writer_pool::slab& s, std::uint32_t i) {
        if (s.owners[i].load(std::memory_order_relaxed) != 0) {
            s.limits[i] = nullptr;
            s.writers[i].out.abandon();
        }
    });
}

void renew_thread(thread_state& thread) noexcept {
    if (thread.main != nullptr) {
        pool.give_back(thread.main);
    }
    for (auto& level : thread.nested) {
        if (level.writer != nullptr) {
            pool.give_back(level.writer);
        }
    }
    forget_writers(thread);
    thread.cost = {};
    thread.recording = recording_number;
}

void prepare_threads() noexcept {
    has_key = ::pthread_key_create(&end_key, thread_ends) == 0;
}

void threads_after_fork() noexcept {
    thread_state& t = this_thread;
    const thread_writer* in_use[1 + thread_state::levels] = {is_in_hook() ? t.main : nullptr};
    for (unsigned i = 0; i != thread_state::levels; ++i) {
        in_use[1 + i] = t.nested[i].is_busy ? t.nested[i].writer : nullptr;
    }
    pool.for_each([](writer_pool::slab& slab, std::uint32_t i) {
        slab.owners[i].store(0, std::memory_order_relaxed);
        slab.limits[i] = nullptr;
    });
    for (const thread_writer* const w : in_use) {
        if (w != nullptr) {
            w->owner->store(nobody, std::memory_order_relaxed); // this one is never used again
            // The hook that was interrupted goes on here as in the parent, and would write into the parent's chunk. In its
            // place it gets memory that is never read: the parent tells what it does.
            if (w->out.has_chunk()) {
                ::mmap(w->out.chunk(), wire::chunk_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
                windows.leave(w->chunk);
            }
        }
    }
    forget_writers(t);
    slow_calls.store(t.slow_calls, std::memory_order_relaxed);
    attached_after_fork();
    unwind::forked();
}

thread_writer* attach_writer(thread_state& thread, std::uint8_t nested) noexcept {
    const process_image& image = *current_image;
    wire::ring_header& h = current_recording.ring.header();
    std::uint32_t tid = own_tid();
    // A child of vfork borrows its parent's memory and so also this thread, whose id it cannot know.
    const bool is_borrowed = own_pid() != image.kernel_pid;
    if (is_borrowed) {
        tid = image.kernel_pid;
    }
    thread_writer* const w = pool.take(tid);
    if (w == nullptr) {
        h.dropped.fetch_add(1, std::memory_order_relaxed);
        return nullptr;
    }
    if (thread.number == 0) {
        thread.number = h.threads.fetch_add(1, std::memory_order_relaxed) + 1;
    }
    w->state = {};
    w->state.image = image.id;
    w->state.pid = image.pid;
    w->state.tid = is_borrowed ? image.pid : collectors_tid();
    w->state.stream = h.streams.fetch_add(1, std::memory_order_relaxed) + 1;
    w->state.thread = thread.number;
    w->state.nested = nested;
    w->thread = &thread;
    if (nested == 0 && has_key && thread.rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
        ::pthread_setspecific(end_key, &thread);
    }
    return w;
}

bool is_left_over(const thread_writer& writer) noexcept {
    return writer.state.image != current_image->id;
}

void hand_over(thread_writer& writer, bool is_whole) noexcept {
    if (!writer.out.has_chunk()) {
        return;
    }
    const without_signals guard;
    if (is_left_over(writer)) {
        writer.out.abandon();
        return;
    }
    is_whole ? writer.out.end() : writer.out.abandon();
    current_recording.ring.hand_over(writer.chunk, writer.state.pid, writer.state.tid);
}

bool ensure_room(thread_writer& writer, std::size_t bytes) noexcept {
    if (writer.out.has_room(bytes)) {
        const std::size_t used = writer.out.used();
        if (used >= writer.next_look) {
            tell_name(writer);
            // An attached program must notice soon that the collector is gone.
            writer.next_look =
                static_cast<std::uint32_t>(recording_number == 0 ? 2 * used : used + first_look);
        }
        writer.out.go_on(writer.next_look - used);
        return true;
    }
    hand_over(writer);
    if (!begin_chunk(writer)) {
        return false;
    }
    if (writer.dropped != 0) {
        unsigned char* const p = wire::encoder::put_varint(writer.out.begin_record(ticks()), writer.dropped);
        writer.out.end_record(wire::entry::dropped, p);
        writer.dropped = 0;
    }
    tell_name(writer);
    writer.next_look = first_look;
    writer.out.go_on(first_look);
    return writer.out.has_room(bytes);
}

void tell_name(thread_writer& writer) noexcept {
    char name[16] = {};
    if (::prctl(PR_GET_NAME, name) != 0 || std::memcmp(name, writer.name, sizeof name) == 0) {
        return;
    }
    std::memcpy(writer.name, name, sizeof name);
    unsigned char* const p = writer.out.begin_record(ticks());
    writer.out.end_record(wire::entry::thread,
                          wire::encoder::put_bytes(p, name, ::strnlen(name, sizeof name)));
}

} // namespace linn::tool::preload
