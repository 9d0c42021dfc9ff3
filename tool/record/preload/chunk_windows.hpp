// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../trace/ring.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace linn::tool::preload {

/// The chunks of the shared file that this process has mapped. They are mapped a few at a time, when a thread needs one: the
/// recorder must not take addresses that the program, or a limit on its address space, counts on.
class chunk_windows {
public:
    /// Chunks that are mapped together: 4 MiB.
    static constexpr std::uint32_t group = 16;
    static constexpr std::uint32_t most_groups = 1024;
    /// Milliseconds without a returned chunk, after which no thread waits for one.
    static constexpr std::uint32_t patience = 20;

    /// The file is opened again by its path when more of it is needed; `fd` names the same file now.
    void begin(int fd, const char* path) noexcept;
    /// The same where the path is not open to this process: takes a descriptor, which stays open.
    void begin(int fd) noexcept;

    /// Whether the chunk is mapped.
    bool has(std::uint32_t chunk) const noexcept {
        return groups_[chunk / group].load(std::memory_order_acquire) != nullptr;
    }
    /// Where it is mapped. @pre has(chunk)
    unsigned char* at(std::uint32_t chunk) const noexcept {
        return groups_[chunk / group].load(std::memory_order_acquire) +
               std::size_t{chunk % group} * wire::chunk_bytes;
    }
    /// Maps the chunk and its neighbours; false where there are no addresses, or no way to the file.
    bool map(const wire::ring& ring, std::uint32_t chunk) noexcept;
    /// False most times after map() failed, so that a program without room for the recorder is not slowed down.
    bool is_worth_a_try() noexcept {
        return !has_failed_.load(std::memory_order_relaxed) ||
               tries_.fetch_add(1, std::memory_order_relaxed) % 1024 == 0;
    }
    /// Unmaps the other chunks of the chunk's group: its own place is no longer the file's, so the group must be mapped again before
    /// one of it is used. @pre no other thread is in the process
    void leave(const wire::ring& ring, std::uint32_t chunk) noexcept;
    /// Whether the collector has given nothing back for that long since a thread first asked at this count of the ring's.
    /// Kept for all threads and calls: a signal handler may leave each wait by longjmp.
    bool is_stalled(std::uint32_t emptied) noexcept;
    std::uint32_t mapped_groups() const noexcept { return mapped_.load(std::memory_order_relaxed); }

    /// Gives the addresses back. @pre no writer has a chunk
    void forget(const wire::ring& ring) noexcept;

private:
    int open_again() const noexcept;
    bool is_the_file(int fd) const noexcept;

    std::atomic<unsigned char*> groups_[most_groups]{};
    std::atomic<std::uint32_t> mapped_{0};
    std::atomic<bool> has_failed_{false};
    std::atomic<std::uint32_t> tries_{1};
    std::atomic<std::uint64_t> asked_{~std::uint64_t{0}}; ///< `emptied` then, and the time in milliseconds
    const char* path_ = nullptr;
    int fd_ = 0;               ///< where there is no path
    std::uint64_t device_ = 0; ///< of the file
    std::uint64_t inode_ = 0;
};

extern constinit chunk_windows windows;

} // namespace linn::tool::preload
