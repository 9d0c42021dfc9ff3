// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blocks.hpp"
#include "program_view.hpp"
#include "sources.hpp"
#include "waiting.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace linn::tool::worker {

/// Starts a thread for a stream; false when the system does not allow it.
class stream_starter {
public:
    virtual bool start(std::uint32_t stream) = 0;

protected:
    ~stream_starter() = default;
};

/// What one stream did.
struct alignas(64) stream_report {
    waiting_time waiting;
    std::uint64_t checksum = 0;
    std::uint64_t wrong_blocks =
        0; ///< that did not hold what was written, or were misaligned; of touch::check
    const char* failure = nullptr;
};

/// Executes one stream.
template <class Source, touch How>
class stream_runner {
public:
    stream_runner(const program_view& program, Source source, stream_starter& starter) noexcept
        : program_{program},
          source_{source},
          starter_{starter} {}

    stream_report run(std::uint32_t number) {
        const std::uint64_t* at = program_.stream(number);
        for (;;) {
            const std::uint64_t word = *at++;
            switch (replay_format::op_of(word)) {
            case op::end:
                if (epoch_ != no_epoch) {
                    program_.leave_epoch(epoch_);
                }
                return report_;
            case op::jump:
                at = program_.words_at(*at);
                continue;
            case op::start:
                if (!starter_.start(replay_format::slot_of(word))) {
                    return failed("a thread cannot be started");
                }
                continue;
            case op::epoch:
                enter_epoch(replay_format::slot_of(word));
                continue;
            case op::malloc:
                at = allocate<op::malloc>(word, at);
                break;
            case op::calloc:
                at = allocate<op::calloc>(word, at);
                break;
            case op::aligned:
                at = allocate<op::aligned>(word, at);
                break;
            case op::new_object:
                at = allocate<op::new_object>(word, at);
                break;
            case op::new_array:
                at = allocate<op::new_array>(word, at);
                break;
            case op::new_aligned:
                at = allocate<op::new_aligned>(word, at);
                break;
            case op::new_array_aligned:
                at = allocate<op::new_array_aligned>(word, at);
                break;
            case op::realloc:
                at = reallocate(word, at);
                break;
            case op::free:
                at = release<op::free>(word, at);
                continue;
            case op::delete_object:
                at = release<op::delete_object>(word, at);
                continue;
            case op::delete_array:
                at = release<op::delete_array>(word, at);
                continue;
            case op::delete_aligned:
                at = release<op::delete_aligned>(word, at);
                continue;
            case op::delete_array_aligned:
                at = release<op::delete_array_aligned>(word, at);
                continue;
            }
            if (at == nullptr) [[unlikely]] {
                return failed("the allocator returned null");
            }
        }
    }

private:
    static constexpr std::uint32_t no_epoch = 0xffff'ffff;

    stream_report failed(const char* why) noexcept {
        report_.failure = why;
        return report_;
    }

    static request read(std::uint64_t word, const std::uint64_t*& at) noexcept {
        request r{replay_format::narrow_size(word), 0, replay_format::slot_of(word),
                  replay_format::group_of(word)};
        if ((word & replay_format::wide_flag) != 0) {
            const std::uint64_t wide = *at++;
            r.bytes = replay_format::wide_size(wide);
            r.alignment = replay_format::wide_alignment(wide);
        }
        return r;
    }

    void enter_epoch(std::uint32_t number) noexcept {
        if (epoch_ != no_epoch) {
            program_.leave_epoch(epoch_);
        }
        epoch_ = number;
        // Two epochs may be under way at a time.
        const auto may_begin = [&] { return program_.complete_epochs() + 2 > number; };
        if (!may_begin()) {
            report_.waiting.wait_until(may_begin);
        }
    }

    using slot = std::atomic<std::uint64_t>;

    static void* pointer_in(std::uint64_t value) noexcept {
        return reinterpret_cast<void*>(replay_format::slot_pointer(value));
    }

    /// What the slot holds when another stream has emptied it.
    std::uint64_t await_empty(slot& s) noexcept {
        // acquire: pairs with the store in empty(); its block is gone.
        const auto is_empty = [&] { return pointer_in(s.load(std::memory_order_acquire)) == nullptr; };
        if (!is_empty()) [[unlikely]] {
            report_.waiting.wait_until(is_empty);
        }
        return s.load(std::memory_order_relaxed); // it was acquired, and is this stream's now
    }

    /// What the slot holds when another stream has filled it for the given time.
    std::uint64_t await_filled(slot& s, std::uint16_t generation) noexcept {
        // Filled for the first time it says 1, and an empty slot says how often it was filled, too.
        const auto wanted = static_cast<std::uint16_t>(generation + 1);
        const auto is_filled = [&] {
            // acquire: pairs with the store in put(), before which the other stream wrote to the block.
            const std::uint64_t value = s.load(std::memory_order_acquire);
            return replay_format::slot_generation(value) == wanted && pointer_in(value) != nullptr;
        };
        if (!is_filled()) [[unlikely]] {
            report_.waiting.wait_until(is_filled);
        }
        return s.load(std::memory_order_relaxed); // it was acquired, and nobody else may change it now
    }

    /// `before` is what the slot held.
    static void put(slot& s, std::uint64_t before, void* p) noexcept {
        const auto generation = static_cast<std::uint16_t>(replay_format::slot_generation(before) + 1);
        // release: pairs with await_filled() in another stream.
        s.store(replay_format::pack_slot(generation, reinterpret_cast<std::uint64_t>(p)),
                std::memory_order_release);
    }
    static void empty(slot& s, std::uint64_t before) noexcept {
        // release: pairs with await_empty() in the slot's own stream.
        s.store(before & ~replay_format::size_mask, std::memory_order_release);
    }

    static std::uint64_t key(const request& r) noexcept {
        return replay_format::mix(r.bytes, r.slot) * 0xd6e8'feb8'6659'fd93u;
    }

    template <op What>
    const std::uint64_t* allocate(std::uint64_t word, const std::uint64_t* at) {
        const request r = read(word, at);
        slot& s = program_.slot(r.slot);
        const bool waits = (word & replay_format::waits_flag) != 0;
        // Relaxed where it does not wait: only this stream used the slot since it last put something there.
        const std::uint64_t before = waits ? await_empty(s) : s.load(std::memory_order_relaxed);
        void* const p = source_.template allocate<What>(r);
        if (p == nullptr) [[unlikely]] {
            return nullptr;
        }
        if constexpr (How == touch::check) {
            check_new<What>(p, r, before);
        }
        touch_block<How>(p, 0, r.bytes, key(r));
        put(s, before, p);
        report_.checksum += replay_format::mix(r.bytes, r.slot);
        return at;
    }

    template <op What>
    const std::uint64_t* release(std::uint64_t word, const std::uint64_t* at) noexcept {
        const request r = read(word, at);
        slot& s = program_.slot(r.slot);
        const bool waits = (word & replay_format::waits_flag) != 0;
        const std::uint64_t before = waits ? await_filled(s, replay_format::generation_of(word))
                                           : s.load(std::memory_order_relaxed); // this stream put it there
        void* const p = pointer_in(before);
        if constexpr (How == touch::check) {
            count_wrong(p == nullptr || !has_pattern(p, r.bytes, key(r)));
        }
        source_.template release<What>(p, r);
        empty(s, before);
        return at;
    }

    const std::uint64_t* reallocate(std::uint64_t word, const std::uint64_t* at) {
        const std::uint64_t second = *at++;
        const std::uint64_t old_block = *at++;
        const std::uint64_t new_block = *at++;
        const request before{replay_format::wide_size(old_block), replay_format::wide_alignment(old_block),
                             replay_format::slot_of(word), replay_format::group_of(word)};
        const request now{replay_format::wide_size(new_block), 0, replay_format::slot_of(second),
                          replay_format::group_of(second)};
        slot& from = program_.slot(before.slot);
        slot& to = program_.slot(now.slot);
        const std::uint64_t held = (word & replay_format::waits_flag) != 0
                                       ? await_filled(from, replay_format::generation_of(second))
                                       : from.load(std::memory_order_relaxed);
        const std::uint64_t held_there =
            (second & replay_format::waits_flag) != 0 ? await_empty(to) : to.load(std::memory_order_relaxed);
        void* const old = pointer_in(held);
        if constexpr (How == touch::check) {
            count_wrong(old == nullptr || !has_pattern(old, before.bytes, key(before)));
        }
        void* const p = source_.reallocate(old, before, now);
        if (p == nullptr) [[unlikely]] {
            return nullptr;
        }
        if constexpr (How == touch::check && Source::keeps_content) {
            count_wrong(!has_pattern(p, std::min(before.bytes, now.bytes), key(before)));
        }
        touch_block<How>(p, before.bytes, now.bytes, key(now));
        if (before.slot != now.slot) {
            empty(from, held);
        }
        put(to, held_there, p);
        report_.checksum += replay_format::mix(now.bytes, now.slot);
        return at;
    }

    template <op What>
    void check_new(const void* p, const request& r, std::uint64_t before) noexcept {
        bool is_wrong = pointer_in(before) != nullptr;
        if constexpr (Source::zeroes) {
            if (r.alignment != 0) {
                is_wrong |= reinterpret_cast<std::uintptr_t>(p) % r.alignment != 0;
            }
            if constexpr (What == op::calloc) {
                is_wrong |= !has_pattern(p, r.bytes, 0);
            }
        }
        count_wrong(is_wrong);
    }

    void count_wrong(bool is_wrong) noexcept { report_.wrong_blocks += is_wrong ? 1u : 0u; }

    const program_view& program_;
    Source source_;
    stream_starter& starter_;
    stream_report report_;
    std::uint32_t epoch_ = no_epoch;
};

} // namespace linn::tool::worker
