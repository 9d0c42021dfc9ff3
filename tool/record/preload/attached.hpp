// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../attach/door.hpp"

#include <cstddef>
#include <cstdint>

// The recorder in a program that runs already: linn has the program open this library, and calls the two functions of
// attach::door in one of its threads. docs/design/attach.md tells the whole way.
namespace linn::tool::preload {

/// Takes the hooks out without being asked, because linn is gone or has closed the recording. Any thread, outside of the recorder;
/// at most half a second, usually some microseconds.
void leave_by_ourselves() noexcept;

/// In a forked child.
void attached_after_fork() noexcept;

// The words through which the files of a running program call the allocator, and through which they call the hooks while
// they are in. A preload needs none of this: there the loader fills these words with the hooks.
namespace slots {

/// Which functions get hooks.
enum class wanted : std::uint8_t { allocations, fills_too };

/// Looks for the slots of all files that are mapped, without changing one. Takes the loader's lock. False without memory.
bool collect(wanted what) noexcept;

/// Puts the hooks into what was collected. No lock, no call of the allocator; any thread, while the others stand still.
void put_in() noexcept;

/// Puts back what was there. A slot that has got another value meanwhile keeps it. False while a file is being unmapped: try
/// again. Afterwards nothing is known of any slot.
bool take_out() noexcept;

bool are_in() noexcept;

/// Whether files that are loaded later will be seen.
bool sees_new_files() noexcept;

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

/// In a forked child: who was unmapping or changing slots in another thread of the parent does not finish here.
void after_fork() noexcept;

const attach::slot* table() noexcept;
std::size_t count() noexcept;

} // namespace slots
} // namespace linn::tool::preload
