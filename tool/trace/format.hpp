// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// What stands in a chunk: written inside the recorded program by encode.hpp, read by decode.hpp. Free of everything
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
    /// low: 1 byte; clock, address difference, bytes, stack, ticks that it took. Zeros by memset, of the code that the stack
    /// says; the clock is that of its end
    fill = 5,

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

} // namespace linn::tool::wire
