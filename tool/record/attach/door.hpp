// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// What `linn record --pid` and the library that it brings into the program say to each other. linn reads and writes the door in
// the program's memory; the library answers there. Free of everything that a program without a C++ runtime does not have.
namespace linn::tool::attach {

inline constexpr std::uint64_t door_magic = 0x3148'5441'4e4e'494c; // "LINNATH1"
inline constexpr const char* door_symbol = "linn_attach_door";

/// A word of the program through which it calls a function: of a file's table of functions, or a constant of it.
struct slot {
    std::uint64_t address = 0;
    std::uint64_t old_value = 0;
    std::uint64_t hook = 0;
    std::uint64_t real = 0;         ///< what the loader fills it with
    std::uint32_t is_read_only = 0; ///< its page is, once the loader has filled it
    std::uint32_t is_gone = 0;      ///< its file was unmapped
};

/// How a call of enter() or leave() ended.
enum class answer : std::uint32_t {
    none,        ///< it has not been called, or has not returned
    done,        ///< the hooks are in, or out
    in_use,      ///< another linn records this process
    no_memory,   ///< for the shared memory: a limit of the process
    no_ring,     ///< linn did not make the ring in time
    not_allowed, ///< linn did not say `go`, so nothing was changed
    busy,        ///< the calling thread is in a hook: ask another, or later
    still_used,  ///< the hooks are out; a thread kept using the shared memory, which stays mapped
};

/// How far enter() or leave() is. The library writes it, linn reads it.
enum class phase : std::uint32_t {
    idle,       ///< no hook is in
    wants_ring, ///< `ring_fd` is to become a ring of `chunks`
    wants_go,   ///< the hooks are about to go in: linn stops the other threads, and writes `go`
    in,         ///< the hooks are in
    out,        ///< they are out, and are waited for: linn lets the other threads go on
};

/// The object `linn_attach_door` of the library.
struct door {
    std::uint64_t magic = door_magic;
    std::uint32_t size = sizeof(door); ///< another size: another version of linn
    phase at = phase::idle;
    answer said = answer::none;
    std::uint32_t go = 0;     ///< written by linn
    std::uint32_t chunks = 0; ///< wanted by linn; then what there is room for
    std::int32_t ring_fd = -1;
    std::uint32_t sees_new_files = 0; ///< files that the program loads later get hooks too
    std::uint32_t collector = 0;      ///< process id of linn
    std::uint64_t enter = 0;          ///< the functions, as void (*)()
    std::uint64_t leave = 0;
    std::uint64_t slots = 0; ///< the address of the table
    std::uint64_t slot_count = 0;
};

} // namespace linn::tool::attach
