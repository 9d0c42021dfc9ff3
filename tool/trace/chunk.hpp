// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "event.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

// What stands in a chunk: written inside the recorded program by the encoder, read by decode.hpp. Free of everything
// that a program without a C++ runtime does not have. Little endian, unaligned.
//
//   chunk   chunk_header, then entries, then zeros. Each decodes alone, but for the stacks that other chunks of the same
//           image (or of the image it was forked from) define.
//   entry   a tag byte that is never 0, then what the tag says. The tag is written last, so that what a killed process
//           was writing does not exist, and the first zero tag is the end.
//
// Two numbers go on from entry to entry within a chunk. The clock, in units of 16 ticks, begins at first_ticks / 16; an
// event holds how far it moved. The base, in units of 16 bytes, begins at 0; it is the last event's address, and an
// event holds its own as the difference.
//
//   1zttaa8s  an allocation whose call, alignment, size and stack are those in slot `s:slot`
//             clock, address, slot (1 byte); with z also a size, which replaces the slot's
//   01ttaarr  a release. rr: 0 free, 1 delete, 2 delete[], 3 as the last release, of an address that ends in 8
//             clock, address
//             tt: 0, 1, 2 or 4 bytes of clock; aa: 1, 2, 3 or 6 bytes of address difference, zigzag; 8: the address ends
//             in 8. A size is 2 bytes, twice the size; or 8 bytes, twice the size plus 1
//   00kkkkkk  k from 1 on: `entry`. Below entry::stack an event; from there on a record: a varint of the bytes that
//             follow it, so that a reader skips what it does not know, then a varint of the ticks since the
//             chunk's first_ticks, then what is said there
//
// Varints are LEB128: seven bits a byte, the lowest first.
namespace linn::tool::wire {

/// Increases with every change that an older reader would misunderstand.
inline constexpr std::uint16_t chunk_version = 1;
inline constexpr std::uint32_t chunk_magic = 0x4b48'434c; // "LCHK"
inline constexpr std::size_t chunk_bytes = std::size_t{256} << 10;

/// Of ticks in a unit of the clock, and of bytes in a unit of the base.
inline constexpr unsigned tick_shift = 4;
inline constexpr unsigned address_shift = 4;
inline constexpr std::size_t slot_count = 512;

struct chunk_header {
    std::uint32_t magic = chunk_magic; ///< written last; 0: the chunk was claimed and nothing more
    std::uint16_t version = chunk_version;
    std::uint16_t header_bytes = sizeof(chunk_header); ///< where the entries begin
    std::uint32_t image = 0; ///< which process image, counted over the whole recording from 1
    /// Which writer, counted from 1: a thread, or a signal handler that interrupted the recorder in that thread.
    std::uint32_t stream = 0;
    std::uint32_t thread = 0; ///< which thread, counted from 1; ids of the system are used again, this is not
    std::uint32_t sequence = 0; ///< of the chunk in its stream, from 0
    std::uint32_t pid = 0;      ///< as the collector's /proc knows it
    std::uint32_t tid = 0;
    std::uint32_t used = 0;  ///< bytes up to the end; 0: never handed over, the first zero tag is the end
    std::uint8_t nested = 0; ///< 1 and more: written by a signal handler that interrupted the recorder
    std::uint8_t clock = 0;  ///< each event has its time
    std::uint16_t reserved = 0;
    std::uint64_t first_ticks = 0; ///< of the processor's time stamp counter
    std::uint64_t reserved_too = 0;
};
static_assert(sizeof(chunk_header) == 56 && offsetof(chunk_header, first_ticks) == 40);

/// Tags below 0x40. In the events, address and stack are exact; `call` is allocation_call of event.hpp.
enum class entry : std::uint8_t {
    end = 0,
    /// call, alignment_log2, slot & 0xff, slot >> 8 | low << 4 (low: the address' lowest 4 bits): 4 bytes; then varints:
    /// clock, address difference (zigzag), size, stack. Fills the slot
    allocation = 1,
    /// call | low << 4: 1 byte; clock, address difference
    release = 2,
    /// low of old | low of new << 4: 1 byte; clock, difference to the old address, from there to the new address, size,
    /// stack
    reallocation = 3,
    /// call, alignment_log2: 2 bytes; clock, size, stack, old address (0 but for realloc). The base stays
    failure = 4,
    /// id, number of frames, then the return addresses in memory, innermost first, as zigzag varints of the difference to
    /// the one before (the first: to 0)
    stack = 16,
    /// origin (0 start, 1 fork, 2 exec: 1 byte), parent image (0: unknown), pid, parent pid: varints; executable, then
    /// the arguments, each ended by a zero byte; long ones are cut off
    process = 17,
    /// The thread's name, to the end of the record; again when it was noticed to have changed
    thread = 18,
    /// number (of the image, from 0), load bias, first and last address plus 1 in memory: varints; bytes of build id
    /// (1 byte), build id, path to the end
    module_loaded = 19,
    /// number
    module_unloaded = 20,
    /// stack, then the mangled name to the end, as type_info::name() says it: without _Z or _ZTS
    rtti = 21,
    /// Events of this thread that were not recorded: a varint
    dropped = 22,
    /// A call that was timed. Whether it is of the thread's last release (1) or of its next allocation or reallocation (0), plus 2
    /// where the reading had a fence: 1 byte; ticks, calls that it stands for: varints
    timed = 24,
};
inline constexpr std::uint8_t first_record = 16;

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
