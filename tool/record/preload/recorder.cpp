// SPDX-License-Identifier: Apache-2.0
#include "recorder.hpp"

#include "../../interpose/real.hpp"
#include "attached.hpp"
#include "image.hpp"
#include "modules.hpp"
#include "thread.hpp"

#include <signal.h>
#include <sys/mman.h>

#include <algorithm>

namespace linn::tool::preload {

constinit sampled_blocks sample{};

/// The first of the places that its hash allows; null without memory.
sampled_blocks::place* sampled_blocks::places_of(std::uintptr_t address) noexcept {
    place* table = table_.load(std::memory_order_relaxed);
    if (table == nullptr) {
        void* const made = zeroed_memory(table_bytes); // zeros are free places
        if (made == nullptr) {
            return nullptr;
        }
        if (table_.compare_exchange_strong(table, static_cast<place*>(made), std::memory_order_relaxed)) {
            table = static_cast<place*>(made);
        } else {
            ::munmap(made, table_bytes);
        }
    }
    const std::uint64_t hash = (address >> 4) * 0x9e37'79b9'7f4a'7c15u;
    return table + (hash >> (64 - table_bits)) / window * window;
}

/// Puts `to` into the place that holds `from`. False where none does.
bool sampled_blocks::change(place* places, std::uintptr_t from, std::uintptr_t to) noexcept {
    return std::any_of(places, places + window, [=](place& p) {
        std::uintptr_t expected = from; // of two threads that want it, one gets it
        return p.load(std::memory_order_relaxed) == from &&
               p.compare_exchange_strong(expected, to, std::memory_order_relaxed);
    });
}

void sampled_blocks::count(std::uintptr_t address, bool is_one_more) noexcept {
    counter& c = near_[granule(address)];
    std::uint16_t seen = c.load(std::memory_order_relaxed);
    while (seen != full &&
           !c.compare_exchange_weak(seen, static_cast<std::uint16_t>(is_one_more ? seen + 1 : seen - 1),
                                    std::memory_order_relaxed)) {
    }
}

bool sampled_blocks::add(std::uintptr_t address) noexcept {
    place* const places = places_of(address);
    if (places == nullptr) {
        return false;
    }
    if (change(places, address, address)) { // released unseen, and allocated again
        return true;
    }
    if (!change(places, 0, address)) {
        return false;
    }
    count(address, true);
    return true;
}

bool sampled_blocks::remove(std::uintptr_t address) noexcept {
    place* const places = places_of(address);
    if (places == nullptr || !change(places, address, 0)) {
        return false;
    }
    count(address, false);
    return true;
}

void sampled_blocks::clear() noexcept {
    clear_used(near_);
    if (place* const table = table_.exchange(nullptr, std::memory_order_relaxed)) {
        ::munmap(table, table_bytes);
    }
}

namespace {

/// True if the program's own operator under way is what this is part of.
bool is_inner(thread_state& t, const observation& seen) noexcept {
    if (t.inner.kind == inner_call::none) {
        return false;
    }
    const inner_call inner = t.inner;
    t.inner.kind = inner_call::none;
    t.active = t.main;
    let_timer_go(t.timer);
    // Who wraps malloc may add something of its own to the block.
    constexpr std::size_t most_added = 4096;
    if (inner.kind == inner_call::release) {
        return seen.kind == event_kind::release && inner.what - seen.address < most_added;
    }
    return (seen.kind == event_kind::allocation || seen.kind == event_kind::failure) &&
           seen.bytes - inner.what < most_added;
}

bool is_on_other_stack() noexcept {
    stack_t now{};
    return ::sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_ONSTACK) != 0;
}

/// A writer of this thread for as long as it lives; none if nothing is recorded.
class lease {
public:
    lease(thread_state& t, std::uintptr_t stack_pointer) noexcept : thread_(t) {
        if (t.recording != recording_number && !is_in_hook()) {
            renew_thread(t);
        }
        if (t.active != nullptr) {
            t.active = nullptr;
            std::atomic_signal_fence(std::memory_order_seq_cst);
            // Not what `active` said: a hook that a signal handler interrupted to fork puts its parent's back.
            writer_ = t.main;
        }
        // In a child is_recording() forgets all writers, of which none is in use.
        if (is_new_image()) {
            t.active = writer_;
            writer_ = nullptr;
        }
        if (!is_recording()) {
            give_back();
            return;
        }
        if (writer_ == nullptr) {
            writer_ = find(stack_pointer);
        }
        if (writer_ != nullptr) {
            writer_->entered = stack_pointer;
        }
    }
    lease(const lease&) = delete;
    lease& operator=(const lease&) = delete;
    ~lease() { give_back(); }

    explicit operator bool() const noexcept { return writer_ != nullptr; }
    thread_writer& writer() const noexcept { return *writer_; }

private:
    thread_writer* find(std::uintptr_t stack_pointer) noexcept {
        thread_state& t = thread_;
        if (t.main == nullptr) {
            t.main = attach_writer(t, 0);
            t.active = nullptr; // a signal handler may have attached another one meanwhile, which is lost
            return t.main;
        }
        if (is_over(*t.main, stack_pointer)) {
            cut_off(*t.main);
            return t.main;
        }
        for (unsigned i = 0; i != thread_state::levels; ++i) {
            auto& level = t.nested[i];
            if (level.is_busy && (level.writer == nullptr || !is_over(*level.writer, stack_pointer))) {
                continue;
            }
            const bool was_busy = level.is_busy;
            level.is_busy = true;
            std::atomic_signal_fence(std::memory_order_seq_cst);
            if (level.writer == nullptr) {
                level.writer = attach_writer(t, static_cast<std::uint8_t>(i + 1));
            } else if (was_busy) {
                cut_off(*level.writer);
            }
            if (level.writer == nullptr) {
                level.is_busy = false;
                return nullptr;
            }
            level_ = &level.is_busy;
            return level.writer;
        }
        current_recording.ring.header().dropped.fetch_add(1, std::memory_order_relaxed);
        return nullptr;
    }
    /// True if the hook that used the writer does not exist any more: a signal handler jumped out of it. On the same stack
    /// the frames of who was interrupted lie above those of who interrupts.
    static bool is_over(const thread_writer& writer, std::uintptr_t stack_pointer) noexcept {
        return stack_pointer >= writer.entered && !is_on_other_stack();
    }
    /// What it was writing is not to be gone on with.
    static void cut_off(thread_writer& writer) noexcept {
        hand_over(writer, false);
        writer.has_probe = false;
    }
    void give_back() noexcept {
        std::atomic_signal_fence(std::memory_order_seq_cst);
        if (level_ != nullptr) {
            *level_ = false;
        } else if (writer_ != nullptr) {
            thread_.active = is_left_over(*writer_) ? thread_.main : writer_;
        }
        writer_ = nullptr;
    }

    const slow_section counted_{};
    thread_state& thread_;
    thread_writer* writer_ = nullptr;
    bool* level_ = nullptr;
};

void finish_probe(thread_writer& w) noexcept {
    w.has_probe = false;
    char name[512];
    const std::size_t length = read_type_name(w.probe_address, name, sizeof name);
    if (length == 0) {
        probes.spend(w.probe_stack); // after two without a type a third is not worth its system calls
    }
    if (length == 0 || !ensure_room(w, sizeof name + 64)) {
        return;
    }
    unsigned char* p = wire::encoder::put_varint(w.out.begin_record(ticks()), w.probe_stack);
    w.out.end_record(wire::entry::rtti, wire::encoder::put_bytes(p, name, length));
}

/// Everything that may stand before an event. False where events must be dropped.
bool make_ready(thread_writer& w) noexcept {
    if (w.has_probe) {
        finish_probe(w);
    }
    process_image& image = *current_image;
    if (!image.is_described.load(std::memory_order_relaxed) &&
        !image.is_described.exchange(true, std::memory_order_relaxed) && !tell_process(w)) {
        image.is_described.store(false, std::memory_order_relaxed);
        return false;
    }
    return ensure_room(w, 0);
}

void drop(thread_writer& w) noexcept {
    if (is_left_over(w)) {
        return;
    }
    ++w.dropped;
    current_recording.ring.header().dropped.fetch_add(1, std::memory_order_relaxed);
}

void write(thread_state& t, thread_writer& w, const unwind::frame_start& from,
           const observation& seen) noexcept {
    const auto call = static_cast<std::uint8_t>(seen.call);
    if (seen.kind == event_kind::release) {
        w.out.release(ticks(), seen.address, call);
        return;
    }
    const unwind::captured taken = unwind::capture(t.stacks, from);
    const bool is_block = seen.kind == event_kind::allocation;
    const bool is_wanted = taken.is_new || (is_block && probes.wants(taken.id));
    const std::uint32_t stack =
        !is_wanted || look_closer(t, w, taken, seen.address, is_block ? seen.bytes : 0) ? taken.id : 0;
    if (!w.out.has_room(0) // look_closer() found none
        || (is_sampler && is_block && !sample.add(seen.address))) {
        drop(w);
        return;
    }
    const std::uint64_t now = ticks();
    if (seen.kind == event_kind::failure) {
        w.out.failure(now, seen.bytes, stack, call, seen.alignment_log2, seen.old_address);
        return;
    }
    if (seen.kind == event_kind::reallocation) {
        w.out.reallocation(now, seen.old_address, seen.address, seen.bytes, stack);
    } else {
        w.out.allocation(now, seen.address, seen.bytes,
                         wire::encoder::stack_word(stack, call, seen.alignment_log2));
    }
}

void record_once(const unwind::frame_start& from, const observation& seen) noexcept {
    thread_state& t = this_thread;
    if (is_inner(t, seen)) {
        return;
    }
    const lease lent{t, from.stack_pointer};
    if (!lent) {
        return;
    }
    if (recording_number != 0 && !collector_lives()) {
        return stop_recording();
    }
    thread_writer& w = lent.writer();
    if (make_ready(w)) {
        write(t, w, from, seen);
    } else {
        drop(w);
    }
}

/// The type of the last block is read as soon as the thread asks for another.
void finish_pending_probe(thread_state& t, std::uintptr_t stack_pointer) noexcept {
    if (t.main == nullptr || !t.main->has_probe) {
        return;
    }
    const kept_errno saved;
    const lease lent{t, stack_pointer};
    if (lent) {
        make_ready(lent.writer());
    }
}

} // namespace

void record_slowly(const unwind::frame_start& from, const observation& seen) noexcept {
    const kept_errno saved;
    record_once(from, seen);
    if (recording_number != 0 && current_image->state.load(std::memory_order_relaxed) == process_image::off &&
        slots::are_in()) [[unlikely]] {
        leave_recording(); // the collector is gone
    }
}

bool is_in_sample(std::size_t bytes) noexcept {
    thread_state& t = this_thread;
    const slow_section counted;
    auto& points = t.sampling;
    if (t.recording != recording_number && !is_in_hook()) {
        renew_thread(t);
    }
    if (points.is_held()) {
        points.let_go();
        finish_pending_probe(t, stack_pointer());
        if (points.passes(bytes)) {
            return false;
        }
    }
    if (!is_recording()) {
        if (recording_number == 0 &&
            current_image->state.load(std::memory_order_relaxed) == process_image::off) {
            points.stop();
        }
        return false;
    }
    const auto mean = static_cast<double>(current_recording.ring.header().options.sample_bytes);
    if (points.random == 0) { // there is no point yet
        points.seed(ticks() ^ reinterpret_cast<std::uintptr_t>(&t));
        points.draw(mean);
        if (points.passes(bytes)) {
            return false;
        }
    }
    points.draw(mean);
    // A call inside an operator of the program is not recorded there: a point in it is one less that lies in no block, and the
    // number of points in the operator's own bytes stays.
    return true;
}

void record_sampled(const unwind::frame_start& from, const observation& seen) noexcept {
    thread_state& t = this_thread;
    const std::uint64_t begun = measure(t.cost);
    record_slowly(from, seen);
    measured(t.cost, begun);
}

bool look_closer(thread_state& thread, thread_writer& writer, const unwind::captured& stack,
                 std::uintptr_t address, std::size_t bytes) noexcept {
    if (stack.is_new) {
        const kept_errno saved;
        if (stack.id != 0) {
            if (!tell_modules(writer, stack.frames, stack.count) ||
                !ensure_room(writer, wire::encoder::stack_bytes(stack.count))) {
                return false;
            }
            writer.out.stack(ticks(), stack.id, stack.frames, stack.count);
            if (stack.is_cut) {
                current_recording.ring.header().cut_stacks.fetch_add(1, std::memory_order_relaxed);
            }
            if (reads_types) {
                probes.add(stack.id, stack.frames, stack.count);
            }
        }
        if (is_left_over(writer)) {
            writer.out.stop(); // the next event takes the slow way, to another writer
            return true;
        }
        unwind::defined(stack);
    }
    if (probes.wants(stack.id) && bytes >= sizeof(void*) && !writer.has_probe) {
        probes.spend(stack.id);
        writer.has_probe = true;
        writer.probe_address = address;
        writer.probe_stack = stack.id;
        writer.out.stop(); // the next event takes the slow way, past finish_probe()
        if constexpr (is_sampler) {
            thread.sampling.hold();
        }
    }
    return true;
}

void write_timing(const call_timing& timing, timed_call what) noexcept {
    if (what == timed_call::of_no_block) {
        return;
    }
    record_quickly(this_thread, stack_pointer(), [&](thread_writer& w) noexcept {
        w.out.timed(ticks(), timing, what == timed_call::releases);
        return true;
    });
}

void record_unloading() noexcept {
    const kept_errno saved;
    thread_state& t = this_thread;
    const lease lent{t, stack_pointer()};
    if (lent && make_ready(lent.writer())) {
        tell_unloaded(lent.writer());
    }
}

void start_recording() noexcept {
    const kept_errno saved;
    thread_state& t = this_thread;
    {
        const lease lent{t, stack_pointer()};
        if (lent) {
            make_ready(lent.writer());
        }
    }
    prepare_timer(t.timer);
    tell_faults_before();
}

} // namespace linn::tool::preload
