// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "door.hpp"
#include "thread.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace linn::tool::attach {

/// The recorder in a program that runs already: brings it in, and takes it out. Each call stops one thread of the program for some
/// milliseconds, and the others go on. All calls from one thread. docs/design/attach.md
class attachment {
public:
    attachment(pid_t pid, std::filesystem::path library) : pid_(pid), library_(std::move(library)) {}
    attachment(const attachment&) = delete;
    attachment& operator=(const attachment&) = delete;

    /// Makes the ring from a file descriptor of the program's.
    using ring_maker = std::function<std::string(int)>;

    /// Loads the library unless it is there, and puts the hooks in, which write into a ring of so many chunks. Returns an empty string, or
    /// why it did not work; then the program is as before, but for the library.
    std::string enter(std::uint32_t chunks, const ring_maker& make_ring);

    /// Takes the hooks out of the process, or of a child that it has forked: they stand at the same places there. Returns an empty
    /// string, also where they were not found, because it has executed another program or has ended; or why they could not be.
    std::string leave(pid_t process) const;

    /// What the library in the process, or in a child that it has forked, says; no value where it is not there any more.
    std::optional<door> look(pid_t process) const;
    std::optional<door> look() const { return look(pid_); }

private:
    std::string find_door();
    std::string call_enter(borrowed_thread& thread, std::uint32_t chunks, const ring_maker& make_ring);

    pid_t pid_;
    std::filesystem::path library_;
    std::uint64_t door_ = 0;
};

} // namespace linn::tool::attach
