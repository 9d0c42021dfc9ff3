// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "door.hpp"
#include "thread.hpp"

#include <filesystem>
#include <functional>
#include <list>
#include <string>

namespace linn::tool::attach {

/// The recorder in a program that runs already: brings it in, and takes it out. All calls from one thread, which traces the
/// program's threads for the milliseconds that this takes, and not in between. docs/design/attach.md
class attachment {
public:
    attachment(pid_t pid, std::filesystem::path library) : pid_(pid), library_(std::move(library)) {}
    attachment(const attachment&) = delete;
    attachment& operator=(const attachment&) = delete;

    /// Makes the ring from a file descriptor of the program's and the number of chunks.
    using ring_maker = std::function<std::string(int, std::uint32_t)>;

    /// Loads the library unless it is there, and puts the hooks in while all threads stand still. Returns an empty string, or why
    /// it did not work; then the program is as before, but for the library.
    std::string enter(std::uint32_t chunks, const ring_maker& make_ring);

    /// Takes the hooks out of the process, or of a child that it has forked: they stand at the same places there. Returns an empty
    /// string, also where they were not found, because it has executed another program or has ended; or why they could not be.
    std::string leave(pid_t process);

    /// What the library says; no value where the process does not have it any more.
    std::optional<door> look() const;

    /// A call that was the first through its slot while the hooks went in has led the loader to fill the slot: puts the hook in.
    /// To be called for some time after enter().
    void look_again() const;

    /// Lets go of threads that the kernel kept from standing still. To be called now and then.
    void settle() {
        unsettled_.remove_if([](held_process& held) { return held.let_go(); });
    }

    bool sees_new_files() const noexcept { return sees_new_files_; }

private:
    std::uint64_t find_door(pid_t process) const;
    std::string why_recorded_already() const;
    std::string call_enter(held_thread& thread, std::uint32_t chunks, const ring_maker& make_ring);
    std::string open_library(injection& calls);
    answer try_to_leave(pid_t process, std::uint64_t door_at);

    pid_t pid_;
    std::filesystem::path library_;
    std::uint64_t door_ = 0;
    std::list<held_process> unsettled_;
    bool sees_new_files_ = true;
};

} // namespace linn::tool::attach
