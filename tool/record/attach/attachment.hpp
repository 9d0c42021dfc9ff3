// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "attachable.hpp"
#include "door.hpp"
#include "held_thread.hpp"
#include "process_memory.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace linn::tool::attach {

/// The recorder in a program that runs already: brings it in, and takes it out. All calls from one thread, which traces the
/// program's threads for the milliseconds that this takes, and not in between. docs/design/attach.md
class attachment {
public:
    attachment(pid_t pid, std::filesystem::path library) : pid_(pid), library_(std::move(library)) {}
    attachment(const attachment&) = delete;
    attachment& operator=(const attachment&) = delete;

    /// Loads the library unless it is there, and puts the hooks in while all threads stand still. `make_ring` is called with a
    /// file descriptor of the program's and the number of chunks, and makes the ring. Returns an empty string, or why it did not
    /// work; then the program is as before, but for the library.
    std::string enter(std::uint32_t chunks, const std::function<std::string(int, std::uint32_t)>& make_ring,
                      std::chrono::milliseconds most);

    /// Takes the hooks out of the process, or of a child that it has forked: they stand at the same places there. False where
    /// they were not found: it has executed another program, or has ended. `problem`: why they could not be taken out.
    bool leave(pid_t process, std::string& problem);

    /// Whether the process still has the hooks: it has not executed another program.
    bool is_in() const;

    /// Whether it still has the library, with hooks or without.
    bool is_loaded() const;

    /// A call that was the first through its slot while the hooks went in has led the loader to fill the slot: puts the hook in.
    /// To be called for some time after enter().
    void look_again() const;

    /// Lets go of threads that the kernel kept from standing still. To be called now and then.
    void settle();

    bool sees_new_files() const noexcept { return sees_new_files_; }

private:
    std::uint64_t find_door(pid_t process) const;
    std::string why_recorded_already() const;
    std::string call_enter(held_thread& thread, std::uint32_t chunks,
                           const std::function<std::string(int, std::uint32_t)>& make_ring);
    std::string open_library(class injection& calls);
    std::unique_ptr<held_thread> hold_calm_thread(std::chrono::milliseconds most, std::string& problem) const;
    answer try_to_leave(pid_t process, std::uint64_t door_at);

    pid_t pid_;
    std::filesystem::path library_;
    std::uint64_t door_ = 0;
    std::vector<std::unique_ptr<held_process>> unsettled_;
    bool sees_new_files_ = true;
};

} // namespace linn::tool::attach
