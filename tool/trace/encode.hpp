// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "event.hpp"
#include "format.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace linn::tool::wire {

/// Writes entries into one chunk. All zero, then bind(), is the writer without a chunk and without room. Inline and without calls where
/// it is hot; no function checks for room but has_room(), and the caller asks it first.
class encoder {
public:
    /// What must be left for an event and the definition of its stack to fit.
    static constexpr std::size_t margin = 1024;
    static_assert(margin < chunk_bytes);

    /// Where the end of the room is kept: apart from the rest, so that it can lie in memory that a fork wipes in the child.
    void bind(unsigned char** cell) noexcept { limit_ = cell; }

    /// True if there is a chunk with room for an event and the definition of its stack, and no stop() since.
    bool has_room() const noexcept { return at_ < *limit_; }
    /// The same for a record of so many bytes and then an event, also after stop().
    bool has_room(std::size_t bytes) const noexcept {
        return chunk_ != nullptr && bytes + margin <= static_cast<std::size_t>(chunk_ + chunk_bytes - at_);
    }
    bool has_chunk() const noexcept { return chunk_ != nullptr; }
    unsigned char* chunk() const noexcept { return chunk_; }
    std::size_t used() const noexcept { return static_cast<std::size_t>(at_ - chunk_); } ///< @pre has_chunk()

    /// Makes has_room() false until go_on(), so that its callers take the slow path.
    void stop() noexcept { *limit_ = nullptr; }
    /// `bytes`: has_room() shall become false again after so many, at the latest at the end of the chunk.
    void go_on(std::size_t bytes = chunk_bytes) noexcept {
        if (chunk_ == nullptr) {
            return;
        }
        unsigned char* const end = chunk_ + chunk_bytes - margin;
        *limit_ = bytes < static_cast<std::size_t>(end - at_) ? at_ + bytes : end;
    }

    /// Begins a chunk of chunk_bytes zeros.
    void begin(unsigned char* memory, const chunk_header& header) noexcept {
        chunk_header h = header;
        h.magic = 0;
        std::memcpy(memory, &h, sizeof h);
        std::memset(slots_, 0, sizeof slots_);
        chunk_ = memory;
        at_ = memory + sizeof h;
        clock_ = header.first_ticks >> tick_shift;
        first_ticks_ = header.first_ticks;
        base_ = 0;
        last_release_ = free_call;
        std::atomic_signal_fence(std::memory_order_seq_cst);
        std::memcpy(memory, &header.magic, sizeof header.magic);
        go_on();
    }
    /// Ends the chunk: writes how long it is, and has none afterwards.
    void end() noexcept {
        const auto used = static_cast<std::uint32_t>(at_ - chunk_);
        std::memcpy(chunk_ + offsetof(chunk_header, used), &used, sizeof used);
        abandon();
    }
    /// As end(), of a writer that was cut off in the middle of an entry: the reader finds the end.
    void abandon() noexcept {
        chunk_ = nullptr;
        at_ = nullptr;
        *limit_ = nullptr;
    }

    /// @pre has_room(); stack_bits is stack_word()
    [[gnu::always_inline]] void allocation(std::uint64_t ticks, std::uint64_t address, std::uint64_t bytes,
                                           std::uint64_t stack_word) noexcept {
        const std::uint64_t past = passed(ticks);
        const std::uint64_t difference = zigzag((address >> address_shift) - base_);
        const std::size_t index = stack_word % slot_count;
        slot& s = slots_[index];
        if (s.what != stack_word || !is_hot(past, difference, address)) [[unlikely]] {
            return full_allocation(ticks, address, bytes, stack_word);
        }
        unsigned char* const begin = at_;
        unsigned char* p = begin + 1;
        unsigned tag = put_hot(p, past, difference) | 0x80 | static_cast<unsigned>(address >> 2 & 2) |
                       static_cast<unsigned>(index >> 8);
        *p++ = static_cast<unsigned char>(index);
        if (s.bytes != bytes) {
            s.bytes = bytes;
            tag |= 0x40;
            p = put_size(p, bytes);
        }
        finish(begin, tag, p);
        clock_ += past;
        base_ = address >> address_shift;
    }

    /// @pre has_room(); call is free, operator_delete, operator_delete_array, or realloc of size 0
    [[gnu::always_inline]] void release(std::uint64_t ticks, std::uint64_t address,
                                        std::uint8_t call) noexcept {
        const std::uint64_t past = passed(ticks);
        const std::uint64_t difference = zigzag((address >> address_shift) - base_);
        const bool at_8 = (address & 8) != 0;
        if (!is_hot(past, difference, address) || call < free_call || (at_8 && call != last_release_))
            [[unlikely]] {
            return full_release(ticks, address, call);
        }
        unsigned char* const begin = at_;
        unsigned char* p = begin + 1;
        const unsigned tag = put_hot(p, past, difference) | 0x40 | (at_8 ? 3u : call - unsigned{free_call});
        finish(begin, tag, p);
        clock_ += past;
        base_ = address >> address_shift;
        last_release_ = call;
    }

    /// What allocation() compares with: everything that rarely changes at one place.
    static std::uint64_t stack_word(std::uint32_t stack, std::uint8_t call,
                                    std::uint8_t alignment_log2) noexcept {
        return stack | std::uint64_t{call} << 32 | std::uint64_t{alignment_log2} << 40;
    }

    /// @pre has_room(), as all below
    void reallocation(std::uint64_t ticks, std::uint64_t old, std::uint64_t address, std::uint64_t bytes,
                      std::uint32_t stack) noexcept {
        unsigned char* p = at_ + 1;
        *p++ = static_cast<unsigned char>((old & 15) | (address & 15) << 4);
        p = put_time(p, ticks);
        p = put_address(p, old);
        p = put_address(p, address);
        p = put_varint(p, bytes);
        finish(at_, entry::reallocation, put_varint(p, stack));
    }
    void failure(std::uint64_t ticks, std::uint64_t bytes, std::uint32_t stack, std::uint8_t call,
                 std::uint8_t alignment_log2, std::uint64_t old) noexcept {
        unsigned char* p = at_ + 1;
        *p++ = call;
        *p++ = alignment_log2;
        p = put_time(p, ticks);
        p = put_varint(p, bytes);
        p = put_varint(p, stack);
        finish(at_, entry::failure, put_varint(p, old));
    }
    void fill(std::uint64_t ticks, std::uint64_t address, std::uint64_t bytes, std::uint32_t stack,
              std::uint64_t took) noexcept {
        unsigned char* p = at_ + 1;
        *p++ = static_cast<unsigned char>(address & 15);
        p = put_time(p, ticks);
        p = put_address(p, address);
        p = put_varint(p, bytes);
        p = put_varint(p, stack);
        finish(at_, entry::fill, put_varint(p, took));
    }

    /// A record under construction: begin_record(), then what it holds through put_*, then end_record(). Its length
    /// always takes three bytes, because it is known last.
    unsigned char* begin_record(std::uint64_t ticks) noexcept {
        return put_varint(at_ + 1 + record_length_bytes, ticks >= first_ticks_ ? ticks - first_ticks_ : 0);
    }
    void end_record(entry what, unsigned char* end) noexcept {
        auto length = static_cast<std::size_t>(end - at_) - 1 - record_length_bytes;
        for (std::size_t i = 0; i != record_length_bytes; ++i, length >>= 7) {
            at_[1 + i] =
                static_cast<unsigned char>((length & 0x7f) | (i + 1 != record_length_bytes ? 0x80 : 0));
        }
        finish(at_, what, end);
    }
    static unsigned char* put_varint(unsigned char* p, std::uint64_t value) noexcept {
        for (; value >= 0x80; value >>= 7) {
            *p++ = static_cast<unsigned char>(value | 0x80);
        }
        *p++ = static_cast<unsigned char>(value);
        return p;
    }
    static unsigned char* put_difference(unsigned char* p, std::uint64_t value) noexcept {
        return put_varint(p, zigzag(value));
    }
    static unsigned char* put_bytes(unsigned char* p, const void* from, std::size_t bytes) noexcept {
        std::memcpy(p, from, bytes);
        return p + bytes;
    }

    /// A record of at most 32 bytes.
    void timed(std::uint64_t ticks, const call_timing& timing, bool is_of_release) noexcept {
        unsigned char* p = begin_record(ticks);
        *p++ = static_cast<unsigned char>(unsigned{is_of_release} | unsigned{timing.is_fenced} << 1);
        p = put_varint(p, timing.ticks);
        end_record(entry::timed, put_varint(p, timing.weight));
    }

    /// Bytes of a stack() record at most.
    static constexpr std::size_t stack_bytes(unsigned count) noexcept { return 32 + std::size_t{10} * count; }
    void stack(std::uint64_t ticks, std::uint32_t id, const std::uintptr_t* frames, unsigned count) noexcept {
        unsigned char* p = begin_record(ticks);
        p = put_varint(p, id);
        p = put_varint(p, count);
        std::uint64_t last = 0;
        for (unsigned i = 0; i != count; ++i) {
            p = put_difference(p, frames[i] - last);
            last = frames[i];
        }
        end_record(entry::stack, p);
    }

private:
    static constexpr std::uint8_t free_call = 9; ///< allocation_call::free
    static constexpr std::size_t record_length_bytes = 3;

    struct slot {
        std::uint64_t what; ///< stack_word(); 0: empty
        std::uint64_t bytes;
    };

    static std::uint64_t zigzag(std::uint64_t difference) noexcept {
        return difference << 1 ^ (0 - (difference >> 63));
    }
    /// Units of the clock since the last event. A counter that another processor has set back stands still.
    std::uint64_t passed(std::uint64_t ticks) const noexcept {
        const std::uint64_t past = (ticks >> tick_shift) - clock_;
        return static_cast<std::int64_t>(past) < 0 ? 0 : past;
    }
    static bool is_hot(std::uint64_t past, std::uint64_t difference, std::uint64_t address) noexcept {
        return ((past >> 32) | (difference >> 48) | (address & 7)) == 0;
    }
    static void put_8(unsigned char* p, std::uint64_t value) noexcept {
        std::memcpy(p, &value, sizeof value);
    }

    /// Writes clock and difference, each as few bytes as the tag can say, without branches. What it writes behind them
    /// are zeros, so that the next tag stays zero.
    [[gnu::always_inline]] static unsigned put_hot(unsigned char*& p, std::uint64_t past,
                                                   std::uint64_t difference) noexcept {
        const unsigned clock_code = unsigned{past != 0} + unsigned{past > 0xff} + unsigned{past > 0xffff};
        const unsigned address_code =
            unsigned{difference > 0xff} + unsigned{difference > 0xffff} + unsigned{difference > 0xff'ffff};
        put_8(p, past);
        p += 0x4210u >> (clock_code * 4) & 0xf;
        put_8(p, difference);
        p += 0x6321u >> (address_code * 4) & 0xf;
        return clock_code << 4 | address_code << 2;
    }
    static unsigned char* put_size(unsigned char* p, std::uint64_t bytes) noexcept {
        const std::uint64_t twice = bytes << 1;
        if (twice <= 0xffff) [[likely]] {
            const auto two = static_cast<std::uint16_t>(twice);
            std::memcpy(p, &two, sizeof two);
            return p + sizeof two;
        }
        put_8(p, twice | 1);
        return p + 8;
    }

    unsigned char* put_time(unsigned char* p, std::uint64_t ticks) noexcept {
        const std::uint64_t past = passed(ticks);
        clock_ += past;
        return put_varint(p, past);
    }
    unsigned char* put_address(unsigned char* p, std::uint64_t address) noexcept {
        const std::uint64_t difference = (address >> address_shift) - base_;
        base_ = address >> address_shift;
        return put_difference(p, difference);
    }

    [[gnu::noinline, gnu::cold]] void full_allocation(std::uint64_t ticks, std::uint64_t address,
                                                      std::uint64_t bytes, std::uint64_t what) noexcept {
        const std::size_t index = what % slot_count;
        unsigned char* p = at_ + 1;
        *p++ = static_cast<unsigned char>(what >> 32);
        *p++ = static_cast<unsigned char>(what >> 40);
        *p++ = static_cast<unsigned char>(index);
        *p++ = static_cast<unsigned char>(index >> 8 | (address & 15) << 4);
        p = put_time(p, ticks);
        p = put_address(p, address);
        p = put_varint(p, bytes);
        p = put_varint(p, what & 0xffff'ffff);
        slots_[index] = {what, bytes};
        finish(at_, entry::allocation, p);
    }
    [[gnu::noinline, gnu::cold]] void full_release(std::uint64_t ticks, std::uint64_t address,
                                                   std::uint8_t call) noexcept {
        unsigned char* p = at_ + 1;
        *p++ = static_cast<unsigned char>(call | (address & 15) << 4);
        p = put_time(p, ticks);
        p = put_address(p, address);
        last_release_ = call;
        finish(at_, entry::release, p);
    }

    void finish(unsigned char* begin, entry what, unsigned char* end) noexcept {
        finish(begin, static_cast<unsigned>(what), end);
    }
    /// The tag last: before it, the entry does not exist. A signal fence is enough, because the chunk is not read while
    /// its owner lives, and the kernel sees what the thread wrote in the order in which it wrote.
    void finish(unsigned char* begin, unsigned tag, unsigned char* end) noexcept {
        std::atomic_signal_fence(std::memory_order_seq_cst);
        *begin = static_cast<unsigned char>(tag);
        std::atomic_signal_fence(std::memory_order_seq_cst);
        at_ = end;
    }

    unsigned char* at_;
    unsigned char** limit_; ///< has_room() until there
    std::uint64_t clock_;   ///< in units
    std::uint64_t base_;
    unsigned char* chunk_;
    std::uint64_t first_ticks_;
    std::uint8_t last_release_;
    slot slots_[slot_count];
};

} // namespace linn::tool::wire
