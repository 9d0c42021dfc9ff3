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
    static constexpr std::size_t group_bytes = group * wire::chunk_bytes;
    static constexpr std::uint32_t most_groups = 1024;

    /// The file is opened again by its path when more of it is needed; `fd` names the same file now. Where there is no path that is
    /// open to this process: takes the descriptor, which stays open.
    void begin(int fd, const char* path) noexcept;

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
    /// The chunk's own place is no longer the file's, so its group must be mapped again before one of it is used. Its addresses
    /// stay taken. @pre no other thread is in the process
    void leave(std::uint32_t chunk) noexcept {
        if (groups_[chunk / group].exchange(nullptr, std::memory_order_relaxed) != nullptr) {
            mapped_.fetch_sub(1, std::memory_order_relaxed); // not twice for two chunks of a group
        }
    }
    std::uint32_t mapped_groups() const noexcept { return mapped_.load(std::memory_order_relaxed); }

    /// Gives the addresses back. @pre no writer has a chunk
    void forget() noexcept;

private:
    int open_again() const noexcept;
    bool is_the_file(int fd) const noexcept;

    std::atomic<unsigned char*> groups_[most_groups]{};
    std::atomic<std::uint32_t> mapped_{0};
    const char* path_ = nullptr;
    int fd_ = 0;               ///< where there is no path
    std::uint64_t device_ = 0; ///< of the file
    std::uint64_t inode_ = 0;
};

extern constinit chunk_windows windows;

/// What holds for the program file that runs, from its start to its end or its next exec, forks included.
struct recording {
    wire::ring ring;
    /// Ids that the collector's /proc knows are not those that the kernel tells us.
    bool other_namespace = false;
    bool fork_is_wiped = false; ///< wiped_memory() is zero in a child, however it was forked
};
extern recording current_recording;

/// One process image. All zero in a forked child, which is the next image.
struct process_image {
    enum : std::uint32_t { unknown, starting, on, off };
    std::atomic<std::uint32_t> state;
    std::uint32_t starter; ///< the thread that is starting it, by the kernel's count
    std::uint32_t id;
    std::uint32_t parent;           ///< image; 0: it is not known
    std::uint32_t pid;              ///< as the collector knows it
    std::uint32_t kernel_pid;       ///< as the kernel tells us
    std::uint8_t origin;            ///< as trace_process::origin
    std::atomic<bool> is_described; ///< the process record was written, or a thread is writing it
};
extern process_image* current_image;

/// True if events of this process are recorded; makes the image first, if it is new. Any thread, at any time.
bool is_recording() noexcept;

/// For good, or until the program is attached to again: the collector is gone, or closed the recording.
void stop_recording() noexcept;

/// Makes this process ready for a recording that begins while it runs. Nothing is recorded before let_record().
/// @pre no thread records
void prepare_attached(const wire::ring& ring) noexcept;
void let_record() noexcept;

/// After stop_recording(): the shared memory is given back. @pre are_threads_out()
void forget_ring() noexcept;

/// Looks at the memory that is zero in a forked child: true there until is_recording().
inline bool is_new_image() noexcept {
    return current_image->state.load(std::memory_order_relaxed) == process_image::unknown;
}

/// Memory of whole pages, zero at first, and again in a child however it was forked; null if there is none. Where the
/// kernel cannot wipe, the caller does so in a fork handler.
void* wiped_memory(std::size_t bytes) noexcept;

/// Whether the collector is there. A zombie, another process under the same number and one that cannot be seen from here are given up
/// after ten seconds without a pulse.
bool collector_lives() noexcept;

/// The id of the calling thread, as the collector knows it.
std::uint32_t collectors_tid() noexcept;

} // namespace linn::tool::preload
