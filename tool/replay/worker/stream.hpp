// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blocks.hpp"
#include "program_view.hpp"
#include "sources.hpp"
#include "waiting.hpp"

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
                if (epoch_ != no_epoch)
                    program_.leave_epoch(epoch_);
                return report_;
            case op::jump:
                at = program_.words_at(*at);
                continue;
            case op::start:
                if (!starter_.start(replay_format::slot_of(word)))
                    return failed("a thread cannot be started");
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
            if (at == nullptr) [[unlikely]]
                return failed("the allocator returned null");
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
        if (epoch_ != no_epoch)
            program_.leave_epoch(epoch_);
        epoch_ = number;
        // Two epochs may be under way at a time.
        const auto may_begin = [&] { return program_.complete_epochs() + 2 > number; };
        if (!may_begin())
            report_.waiting.wait_until(may_begin);
    }

    void await_empty(std::atomic<void*>& slot) noexcept {
        // acquire: pairs with the store in empty(); its block is gone.
        const auto is_empty = [&] { return slot.load(std::memory_order_acquire) == nullptr; };
        if (!is_empty()) [[unlikely]]
            report_.waiting.wait_until(is_empty);
    }

    void* take(std::atomic<void*>& slot, bool waits) noexcept {
        // acquire: pairs with the store in put(), where another stream allocated it; what it wrote is there.
        void* p = slot.load(std::memory_order_acquire);
        if (waits && p == nullptr) [[unlikely]] {
            report_.waiting.wait_until([&] { return slot.load(std::memory_order_acquire) != nullptr; });
            p = slot.load(std::memory_order_relaxed); // it was acquired, and is mine now
        }
        return p;
    }

    static void put(std::atomic<void*>& slot, void* p) noexcept {
        slot.store(p, std::memory_order_release); // pairs with take() in another stream
    }
    static void empty(std::atomic<void*>& slot) noexcept {
        slot.store(nullptr, std::memory_order_release); // pairs with await_empty() in the slot's own stream
    }

    static std::uint64_t key(const request& r) noexcept {
        return replay_format::mix(r.bytes, r.slot) * 0xd6e8'feb8'6659'fd93u;
    }

    template <op What>
    const std::uint64_t* allocate(std::uint64_t word, const std::uint64_t* at) {
        const request r = read(word, at);
        std::atomic<void*>& slot = program_.slot(r.slot);
        if ((word & replay_format::waits_flag) != 0)
            await_empty(slot);
        void* const p = source_.template allocate<What>(r);
        if (p == nullptr) [[unlikely]]
            return nullptr;
        if constexpr (How == touch::check)
            check_new<What>(p, r, slot);
        touch_block<How>(p, 0, r.bytes, key(r));
        put(slot, p);
        report_.checksum += replay_format::mix(r.bytes, r.slot);
        return at;
    }

    template <op What>
    const std::uint64_t* release(std::uint64_t word, const std::uint64_t* at) noexcept {
        const request r = read(word, at);
        std::atomic<void*>& slot = program_.slot(r.slot);
        void* const p = take(slot, (word & replay_format::waits_flag) != 0);
        if constexpr (How == touch::check)
            count_wrong(p == nullptr || !has_pattern(p, r.bytes, key(r)));
        source_.template release<What>(p, r);
        empty(slot);
        return at;
    }

    const std::uint64_t* reallocate(std::uint64_t word, const std::uint64_t* at) {
        const std::uint64_t second = *at++;
        const request before{replay_format::wide_size(*at++), 0, replay_format::slot_of(word),
                             replay_format::group_of(word)};
        const request now{replay_format::wide_size(*at++), 0, replay_format::slot_of(second),
                          replay_format::group_of(second)};
        std::atomic<void*>& from = program_.slot(before.slot);
        std::atomic<void*>& to = program_.slot(now.slot);
        void* const old = take(from, (word & replay_format::waits_flag) != 0);
        if ((second & replay_format::waits_flag) != 0)
            await_empty(to);
        if constexpr (How == touch::check)
            count_wrong(old == nullptr || !has_pattern(old, before.bytes, key(before)));
        void* const p = source_.reallocate(old, before, now);
        if (p == nullptr) [[unlikely]]
            return nullptr;
        if constexpr (How == touch::check && Source::keeps_content)
            count_wrong(!has_pattern(p, before.bytes < now.bytes ? before.bytes : now.bytes, key(before)));
        touch_block<How>(p, before.bytes, now.bytes, key(now));
        if (before.slot != now.slot)
            empty(from);
        put(to, p);
        report_.checksum += replay_format::mix(now.bytes, now.slot);
        return at;
    }

    template <op What>
    void check_new(const void* p, const request& r, const std::atomic<void*>& slot) noexcept {
        bool is_wrong = slot.load(std::memory_order_relaxed) != nullptr; // only this stream fills it
        if constexpr (Source::zeroes) {
            if (r.alignment != 0)
                is_wrong |= reinterpret_cast<std::uintptr_t>(p) % r.alignment != 0;
            if constexpr (What == op::calloc)
                is_wrong |= !has_pattern(p, r.bytes, 0);
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
