// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// What the preloaded probe writes of every process, and the tool reads. The variable LINN_PROBE holds the process id
// of the measured program in ten digits, a colon, the file to append to, a colon, and the preloaded allocator.
namespace linn::tool::probe {

inline constexpr const char* variable = "LINN_PROBE";
inline constexpr std::size_t pid_digits = 10;

/// The functions whose providers are looked for, in the order of the record.
inline constexpr const char* functions[] = {"malloc", "free", "operator new", "operator delete",
                                            "sized operator delete"};
inline constexpr std::size_t function_count = 5;

/// The pieces of text behind a record, in this order: executable, directory, arguments and environment (both separated
/// by zeros), then the file that provides each function, and the one behind it that provides malloc too.
enum piece : std::size_t { executable, directory, arguments, environment, first_function };
inline constexpr std::size_t next_malloc_piece = first_function + function_count;
inline constexpr std::size_t piece_count = next_malloc_piece + 1;

/// LINN_LITTER holds a seed, a colon, and a file of litter_size: how the heap of the measured program is made
/// one that was long in use.
inline constexpr const char* litter_variable = "LINN_LITTER";

struct litter_size {
    std::uint32_t bytes = 0;
    std::uint32_t blocks = 0; ///< how often; the order is random, and each number is one on average
};

/// What littering did, and what it took.
struct litter {
    std::uint64_t blocks = 0; ///< allocated; 0: nothing was littered
    std::uint64_t freed = 0;  ///< of them
    std::uint64_t bytes = 0;  ///< asked for
    std::uint64_t resident_bytes = 0;
    std::uint64_t wall_ns = 0;
    std::uint64_t user_ns = 0;
    std::uint64_t sys_ns = 0;
    std::uint64_t minor_faults = 0;
};

/// One exec that the dynamic loader served; appended by one write, so records do not mix.
struct record {
    static constexpr std::uint32_t right_magic = 0x4c50'5231;

    std::uint32_t magic = right_magic;
    std::uint32_t bytes = 0; ///< with all pieces
    std::uint32_t is_main = 0;
    std::uint32_t preload_mapped = 0;
    char name[16] = {}; ///< what the kernel calls the process, as exec left it
    litter littered;
    std::uint32_t lengths[piece_count] = {};
};

/// A program that starts thousands of others fills the disk no further than this; records of the program itself are
/// written up to the second limit, so that they are never crowded out.
inline constexpr std::uint64_t most_bytes = 1u << 20;
inline constexpr std::uint64_t most_bytes_of_main = 8u << 20;

} // namespace linn::tool::probe
