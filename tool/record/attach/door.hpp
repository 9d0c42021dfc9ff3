// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// What `linn record --pid` and the library that it brings into the program say to each other. linn calls the functions, and reads the
// answers in the program's memory. Free of everything that a program without a C++ runtime does not have.
namespace linn::tool::attach {

inline constexpr std::uint64_t door_magic = 0x3348'5441'4e4e'494c; // "LINNATH3"
inline constexpr const char* door_symbol = "linn_attach_door";

/// How a call of enter() or leave() ended.
enum class answer : std::uint32_t {
    none,      ///< it has not been called, or has not returned
    done,      ///< the hooks are in, or out
    in_use,    ///< another linn records this process
    no_memory, ///< for the shared memory: a limit of the process
    busy,      ///< a thread is in a hook, or uses the shared memory: ask another thread, or later
};

/// The object `linn_attach_door` of the library.
struct door {
    std::uint64_t magic = door_magic;
    std::uint32_t size = sizeof(door); ///< another size: another version of linn
    answer said = answer::none;        ///< of the last call
    std::uint32_t is_in = 0;           ///< the hooks are in
    std::int32_t ring_fd = -1;         ///< an empty file, which linn makes a ring

    /// void (): opens `ring_fd`.
    std::uint64_t open_ring = 0;
    /// void (std::uint32_t): puts the hooks in, which write into the ring of so many chunks.
    std::uint64_t enter = 0;
    /// void (): takes the hooks out, and closes `ring_fd`.
    std::uint64_t leave = 0;
};

} // namespace linn::tool::attach
