// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// What the tool writes and the worker executes: a trace as streams of words of 64 bits, one stream a thread. Both are
// of one build, so the layout is free to change with `program_version`.
namespace linn::tool::replay_format {

inline constexpr char program_magic[8] = {'L', 'I', 'N', 'N', 'R', 'P', 'L', '\n'};
inline constexpr std::uint32_t program_version = 1;

/// What stands at the start of the file. Offsets are in bytes, from the start of the file.
struct program_header {
    char magic[8];
    std::uint32_t version;
    std::uint32_t streams;
    std::uint64_t slots;
    std::uint64_t null_bytes; ///< that the places of all slots take together
    std::uint64_t events;
    std::uint64_t checksum; ///< of all streams, see `mix`
    std::uint64_t epochs;
    std::uint64_t streams_at; ///< uint64[streams]: where each begins
    std::uint64_t epochs_at;  ///< uint32[epochs]: how many streams take part in each
    std::uint64_t places_at;  ///< uint64[slots]: where the null allocator has each slot's block
};

/// What a word says to do.
enum class op : std::uint8_t {
    end,   ///< of the stream
    jump,  ///< to the offset in the next word
    start, ///< the stream whose number is the slot
    epoch, ///< enter the epoch whose number is the slot, and leave the one before
    malloc,
    calloc,
    aligned,
    new_object,
    new_array,
    new_aligned,
    new_array_aligned,
    realloc, ///< three more words: see `pack_realloc`
    free,
    delete_object,
    delete_array,
    delete_aligned,
    delete_array_aligned,
};

/// In the byte of the op: wait until another stream has emptied the slot (allocations), or filled it for that time which
/// `generation_of` says (the rest).
inline constexpr std::uint8_t waits_flag = 0x20;
/// In the byte of the op: the next word has the size and the alignment.
inline constexpr std::uint8_t wide_flag = 0x40;
inline constexpr std::uint8_t op_mask = 0x1f;

inline constexpr std::uint64_t largest_narrow = 0xffff;
inline constexpr std::uint64_t size_mask = (std::uint64_t{1} << 48) - 1;

/// byte 0: op and flags; byte 1: group, 0 is none; bytes 2 and 3: size of the block that comes or goes; the rest: slot.
constexpr std::uint64_t pack(op what, std::uint8_t flags, std::uint8_t group, std::uint64_t size,
                             std::uint32_t slot) noexcept {
    return static_cast<std::uint64_t>(what) | flags | std::uint64_t{group} << 8 | size << 16 |
           std::uint64_t{slot} << 32;
}
constexpr op op_of(std::uint64_t word) noexcept {
    return static_cast<op>(word & op_mask);
}
constexpr std::uint8_t group_of(std::uint64_t word) noexcept {
    return static_cast<std::uint8_t>(word >> 8);
}
constexpr std::uint32_t slot_of(std::uint64_t word) noexcept {
    return static_cast<std::uint32_t>(word >> 32);
}
constexpr std::uint64_t narrow_size(std::uint64_t word) noexcept {
    return word >> 16 & largest_narrow;
}

/// The word behind a wide op: 48 bits of size, then the logarithm of the alignment, 0 being the default.
constexpr std::uint64_t pack_wide(std::uint64_t size, unsigned alignment_log2) noexcept {
    return size | std::uint64_t{alignment_log2} << 48;
}
constexpr std::uint64_t wide_size(std::uint64_t word) noexcept {
    return word & size_mask;
}
constexpr std::size_t wide_alignment(std::uint64_t word) noexcept {
    const unsigned log2 = static_cast<unsigned>(word >> 48) & 63;
    return log2 == 0 ? 0 : std::size_t{1} << log2;
}

/// How often the slot was filled before, of a release of another stream's block, which is always wide. Slots are reused,
/// and what is there may yet be the block before. Counted modulo 2^16: no stream is so far ahead of another.
constexpr std::uint16_t generation_of(std::uint64_t word) noexcept {
    return static_cast<std::uint16_t>(word >> 16);
}

/// What a slot holds: the generation, and a pointer, of which 48 bits count. Null: it is empty.
constexpr std::uint64_t pack_slot(std::uint16_t generation, std::uint64_t pointer) noexcept {
    return pointer | std::uint64_t{generation} << 48;
}
constexpr std::uint16_t slot_generation(std::uint64_t slot) noexcept {
    return static_cast<std::uint16_t>(slot >> 48);
}
constexpr std::uint64_t slot_pointer(std::uint64_t slot) noexcept {
    return slot & size_mask;
}

/// How a realloc goes on: this word with the slot and group of the new block, then both sizes, the old one with its
/// alignment. The op's own slot and group are the old block's, and so is the generation in this word. Both slots may be
/// one. This word waits as an allocation does.
constexpr std::uint64_t pack_realloc(std::uint8_t flags, std::uint8_t group, std::uint16_t generation,
                                     std::uint32_t slot) noexcept {
    return pack(op::realloc, flags, group, generation, slot);
}

/// A stream adds this up for every block that it allocates or reallocates; the sum proves that it did its work.
constexpr std::uint64_t mix(std::uint64_t size, std::uint32_t slot) noexcept {
    return size * 0x9e37'79b9'7f4a'7c15u + slot;
}

} // namespace linn::tool::replay_format
