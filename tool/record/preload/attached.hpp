// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../trace/ring.hpp"

#include <cstdint>

// The recorder in a program that runs already: `linn record --pid` has the program open this library, calls the function of the door in
// one of its threads, and reads the answers in the program's memory. docs/design/attach.md tells the whole way.
namespace linn::tool::attach {

inline constexpr std::uint64_t door_magic = 0x3448'5441'4e4e'494c; // "LINNATH4"
inline constexpr const char* door_symbol = "linn_attach_door";

/// How a call of change() ended.
enum class answer : std::uint32_t {
    none,      ///< there is none yet
    done,      ///< the hooks are in, or out
    in_use,    ///< another linn records this process
    no_memory, ///< for the shared memory: a limit of the process
    busy,      ///< the calling thread is in a hook: ask another, or later
    stuck,     ///< the hooks are out, but another thread does not stop to use the shared memory, which stays
};

/// The object `linn_attach_door` of the library.
struct door {
    std::uint64_t magic = door_magic;
    std::uint32_t size = sizeof(door); ///< another size: another version of linn
    answer said = answer::none;        ///< of the last call
    std::uint32_t is_in = 0;           ///< the hooks are in
    std::int32_t ring_fd = -1;         ///< then: of the ring that they write into
    wire::ring_options options{};      ///< linn sets them before it has the hooks put in

    /// Makes a ring of so many chunks, and puts the hooks in; of 0 chunks: takes the hooks out, and closes the ring.
    void (*change)(std::uint32_t chunks) noexcept = nullptr;
};

} // namespace linn::tool::attach

extern "C" __attribute__((visibility("default"))) linn::tool::attach::door linn_attach_door;

namespace linn::tool::preload {

// The words through which the files of a running program call the allocator, and through which they call the hooks while
// they are in. A preload needs none of this: there the loader fills these words with the hooks.
namespace slots {

/// A call that was the first through its slot while the hooks went in has led the loader to fill the slot: puts the hook in.
void look_again() noexcept;

bool are_in() noexcept;

/// While one lives, a file may be unmapped: no slot is touched.
class unmapping {
public:
    unmapping() noexcept;
    unmapping(const unmapping&) = delete;
    unmapping& operator=(const unmapping&) = delete;
    ~unmapping();

private:
    bool counts_;
};

} // namespace slots

/// Takes the hooks out: for linn, or without being asked where linn is gone or has closed the recording. Any thread, outside of the
/// recorder; at most half a second, usually some microseconds.
attach::answer leave_recording() noexcept;

/// In a forked child.
void attached_after_fork() noexcept;

} // namespace linn::tool::preload
