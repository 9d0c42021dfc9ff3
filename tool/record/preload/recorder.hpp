// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../interpose/raw.hpp"
#include "../../interpose/real.hpp"
#include "../../trace/event.hpp"
#include "modules.hpp"
#include "thread.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

// What the hooks call. All of it is safe in signal handlers, leaves errno alone, and allocates and locks nothing.
namespace linn::tool::preload {

#ifdef LINN_RECORD_SAMPLES
/// The hooks of liblinn-sample.so go over most blocks with two or three instructions. They end with a jump: to the real function, or
/// to what looks closer, so that its caller is the hook's. The hooks of liblinn-record.so are what looks closer.
inline constexpr bool is_sampler = true;
#define LINN_LOOK [[gnu::noinline]]
#else
inline constexpr bool is_sampler = false;
#define LINN_LOOK [[gnu::always_inline]] inline
#endif

/// The live blocks of the sample, by address. No locks; safe in signal handlers. A forked child has its own copy, as it has of
/// the blocks. All zero at first.
///
/// Most releases are of other blocks. A counter for each 8 KiB of the address space, the lowest 4 GiB of it and then again, answers
/// them with five instructions; neighbours have one, so few lines of cache are looked at. Behind it a table, in which an address
/// has one of the few places that its hash allows.
///
/// All operations are relaxed: an address is added before the program gets the block, and looked for by who has got the
/// address from it, so the program's own synchronisation orders both.
class sampled_blocks {
public:
    /// False: the block is not in the sample. True: look.
    [[gnu::always_inline]] bool may_hold(std::uintptr_t address) const noexcept {
        const counter& near = near_[granule(address)];
#if defined(__x86_64__)
        bool is_some = false; // compilers load what is atomic before they compare it
        asm("cmpw $0, %[near]" : "=@ccne"(is_some) : [near] "m"(near));
        return is_some;
#else
        return near.load(std::memory_order_relaxed) != 0;
#endif
    }

    /// False where there is no room.
    bool add(std::uintptr_t address) noexcept;

    /// Forgets all blocks. @pre no thread uses it
    void clear() noexcept;

    /// True if it was there.
    bool remove(std::uintptr_t address) noexcept;

private:
    using counter = std::atomic<std::uint16_t>;
    using place = std::atomic<std::uintptr_t>; ///< an address; 0: free

    static constexpr unsigned granule_bits = 13;
    static constexpr std::uint16_t full = 0xffff; ///< a counter that is not changed any more
    static constexpr std::size_t window = 16;     ///< places that a hash allows: two cache lines
    static constexpr unsigned table_bits = 20;
    static constexpr std::size_t table_bytes = sizeof(place) << table_bits;

    static std::size_t granule(std::uintptr_t address) noexcept {
        return static_cast<std::uint32_t>(address) >> granule_bits;
    }
    place* places_of(std::uintptr_t address) noexcept;
    static bool change(place* places, std::uintptr_t from, std::uintptr_t to) noexcept;
    void count(std::uintptr_t address, bool is_one_more) noexcept;

    counter near_[std::size_t{1} << (32 - granule_bits)];
    std::atomic<place*> table_; ///< mapped with the first block
};

[[gnu::visibility("hidden")]] extern sampled_blocks sample;

/// What a hook has seen.
struct observation {
    event_kind kind;
    allocation_call call;
    std::uint8_t alignment_log2;
    std::uintptr_t address;
    std::uintptr_t old_address;
    std::size_t bytes;
};

/// The way for everything that is rare: the first event of a thread, no room, a signal handler that interrupted the
/// recorder, failures. Of a release, `from` is no more than the stack pointer.
void record_slowly(const unwind::frame_start& from, const observation& seen) noexcept;

/// Of a stack that capture() has not seen before, and of blocks whose type is looked for. False where there is no room.
bool look_closer(thread_state& thread, thread_writer& writer, const unwind::captured& stack,
                 std::uintptr_t address, std::size_t bytes) noexcept;

/// Of bytes that byte_sampler::passes() does not go over: true if a point lies in them. The next point is drawn then.
bool is_in_sample(std::size_t bytes) noexcept;

/// As record_slowly(), and what it costs: of a block that is in the sample, or was until now.
void record_sampled(const unwind::frame_start& from, const observation& seen) noexcept;

/// Blocks from here on are mapped and unmapped by the system, some of them: that takes long, and each of these calls is timed.
inline constexpr std::size_t large_bytes = std::size_t{128} << 10;

/// True if a block of so many bytes is not to be recorded: the sampler's fast way.
[[gnu::always_inline]] inline bool passes(std::size_t bytes) noexcept {
    if constexpr (is_sampler) {
        return this_thread.sampling.passes(bytes);
    } else {
        static_cast<void>(bytes);
        return false;
    }
}

/// True if a block of so many bytes may go the sampler's fast way.
[[gnu::always_inline]] inline bool is_quick(std::size_t bytes) noexcept {
    return is_sampler && bytes < large_bytes && passes(bytes);
}

/// Whether to record a block that is about to be asked for; once for each.
[[gnu::always_inline]] inline bool takes(std::size_t bytes) noexcept {
    return !is_sampler || (!passes(bytes) && is_in_sample(bytes));
}

/// Whether a block may have a mapping of its own, behind a header of 16 bytes: so has each large one of the C library's. Of other
/// blocks, it is few.
[[gnu::always_inline]] inline bool may_be_mapped(const void* block) noexcept {
    return (reinterpret_cast<std::uintptr_t>(block) & 0xfe0) == 0;
}

/// Whether the call that begins is the next that is timed; once for each.
[[gnu::always_inline]] inline bool is_timed() noexcept {
    std::int32_t& until = this_thread.timer.until;
#if defined(__x86_64__)
    bool is_turn = false; // compilers load it, and store it again
    asm("subl $1, %[until]" : [until] "+m"(until), "=@ccle"(is_turn));
    return is_turn;
#else
    return --until <= 0;
#endif
}

template <auto Function, typename... Arguments>
[[gnu::noinline]] auto timed_by_chance(Arguments... arguments) noexcept {
    return timed_now(this_thread.timer, timed_call::of_no_block, call_choice::by_chance,
                     [=] { return (real.*Function)(arguments...); });
}
/// The sampler's fast way: calls a real function, timed where it is its turn.
template <auto Function, typename... Arguments>
[[gnu::always_inline]] inline auto call_quickly(Arguments... arguments) noexcept {
    return is_timed() ? timed_by_chance<Function>(arguments...) : (real.*Function)(arguments...);
}

/// Makes a real call, timed where it is its turn. `call` holds what it needs by value.
template <typename Call>
[[gnu::always_inline]] inline auto timed(timed_call what, bool is_sure, Call call) {
    if (is_sure) [[unlikely]] {
        return timed_now(this_thread.timer, what, call_choice::surely, call);
    }
    if (is_timed()) [[unlikely]] {
        return timed_now(this_thread.timer, what, call_choice::by_chance, call);
    }
    return call();
}
/// `is_taken`: by takes(). The sampler times what is in the sample.
template <typename Call>
[[gnu::always_inline]] inline auto timed_get(std::size_t bytes, bool is_taken, Call call) {
    return timed(is_taken ? timed_call::gets : timed_call::of_no_block,
                 bytes >= large_bytes || (is_sampler && is_taken), call);
}
/// `is_sampled`: by record_release().
template <typename Call>
[[gnu::always_inline]] inline auto timed_release(void* block, bool is_sampled, Call call) {
    return timed(is_sampled ? timed_call::releases : timed_call::of_no_block,
                 (is_sampler && is_sampled) || may_be_mapped(block), call);
}

/// As soon as a hook is entered: brings what it will look at nearer, while the real function works.
[[gnu::always_inline]] inline void prepare(const unwind::frame_start& from) noexcept {
    if constexpr (!is_sampler) {
        unwind::prepare(this_thread.stacks, from);
    }
}

/// Lets `write` record an event with the thread's writer, where that is free and has room. `entered`: of the hook. False: it must
/// be recorded slowly. `write` is inlined by its attribute: as a call it costs 50 instructions.
template <typename Write>
[[gnu::always_inline]] inline bool record_quickly(thread_state& t, std::uintptr_t entered,
                                                  const Write& write) noexcept {
    thread_writer* const w = t.active;
    if (w == nullptr) [[unlikely]] {
        return false;
    }
    // From here on a signal handler uses another writer. It may have used this one just before: so nothing of it
    // is read earlier.
    t.active = nullptr;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    w->entered = entered;
    bool is_done = false;
    if (w->out.has_room()) [[likely]] {
        is_done = write(*w);
    }
    std::atomic_signal_fence(std::memory_order_seq_cst);
    t.active = w;
    return is_done;
}

/// Records an event by `write`, as record_quickly() says, or `slowly`; measures now and then what that costs.
template <typename Write, typename Slowly>
[[gnu::always_inline]] inline void record(std::uintptr_t entered, const Write& write,
                                          const Slowly& slowly) noexcept {
    thread_state& t = this_thread;
    const std::uint64_t begun = measure(t.cost);
    if (!record_quickly(t, entered, write)) [[unlikely]] {
        slowly();
    }
    measured(t.cost, begun);
}

/// A block that the program got, of those that takes() is true for. `from`: unwind::here() of the hook.
[[gnu::always_inline]] inline void record_allocation(const unwind::frame_start& from, allocation_call call,
                                                     const void* block, std::size_t bytes,
                                                     std::uint8_t alignment_log2 = 0) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(block);
    if constexpr (is_sampler) {
        record_sampled(from, {event_kind::allocation, call, alignment_log2, address, 0, bytes});
        return;
    }
    const auto write = [&](thread_writer& w) __attribute__((always_inline)) {
        thread_state& t = this_thread;
        const unwind::captured stack = unwind::capture(t.stacks, from);
        if ((stack.is_new || probes.wants(stack.id)) && !look_closer(t, w, stack, address, bytes))
            [[unlikely]] {
            return false;
        }
        w.out.allocation(
            ticks(), address, bytes,
            wire::encoder::stack_word(stack.id, static_cast<std::uint8_t>(call), alignment_log2));
        return true;
    };
    record(from.stack_pointer, write,
           [&] { record_slowly(from, {event_kind::allocation, call, alignment_log2, address, 0, bytes}); });
}

/// A block that became another one, or larger or smaller where it is. After the real one has answered.
[[gnu::always_inline]] inline void record_reallocation(const unwind::frame_start& from, const void* old,
                                                       const void* block, std::size_t bytes) noexcept {
    const auto before = reinterpret_cast<std::uintptr_t>(old);
    const auto address = reinterpret_cast<std::uintptr_t>(block);
    const auto write = [&](thread_writer& w) __attribute__((always_inline)) {
        thread_state& t = this_thread;
        const unwind::captured stack = unwind::capture(t.stacks, from);
        if (stack.is_new && !look_closer(t, w, stack, address, 0)) [[unlikely]] {
            return false;
        }
        w.out.reallocation(ticks(), before, address, bytes, stack.id);
        return true;
    };
    record(from.stack_pointer, write, [&] {
        record_slowly(from, {event_kind::reallocation, allocation_call::realloc, 0, address, before, bytes});
    });
}

/// A block that the program is about to give back. Before it does: afterwards another thread may have it already. False where the
/// sampler does not have it.
[[gnu::always_inline]] inline bool record_release(allocation_call call, const void* block) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(block);
    if constexpr (is_sampler) {
        if (sample.may_hold(address) && sample.remove(address)) [[unlikely]] {
            record_sampled({0, stack_pointer(), 0}, {event_kind::release, call, 0, address, 0, 0});
            return true;
        }
        return false;
    }
    const std::uintptr_t sp = stack_pointer();
    const auto write = [&](thread_writer& w) __attribute__((always_inline)) {
        w.out.release(ticks(), address, static_cast<std::uint8_t>(call));
        return true;
    };
    record(sp, write, [&] { record_slowly({0, sp, 0}, {event_kind::release, call, 0, address, 0, 0}); });
    return true;
}

/// A file was unmapped, or may have been.
void record_unloading() noexcept;

/// As early as possible: says of a process that it was there, even if it allocates nothing.
void start_recording() noexcept;

} // namespace linn::tool::preload
