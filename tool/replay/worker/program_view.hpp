// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../program_format.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace linn::tool::worker {

/// A program in memory, and what its execution shares between threads. None of it lies in the heap, which belongs to the
/// replayed program alone.
class program_view {
public:
    /// Maps the file. Returns null, or what is wrong.
    const char* open(const char* path);

    const replay_format::program_header& header() const noexcept { return *header_; }
    const std::byte* base() const noexcept { return file_; }

    /// The first word of a stream.
    const std::uint64_t* stream(std::uint32_t number) const noexcept {
        return words_at(table<std::uint64_t>(header_->streams_at)[number]);
    }
    const std::uint64_t* words_at(std::uint64_t offset) const noexcept {
        return reinterpret_cast<const std::uint64_t*>(file_ + offset);
    }
    const std::uint64_t* places() const noexcept { return table<std::uint64_t>(header_->places_at); }

    /// Where the block of each slot is: replay_format::pack_slot.
    std::atomic<std::uint64_t>& slot(std::uint32_t number) const noexcept { return slots_[number]; }

    /// Called by a stream when it has done all that it has to do in an epoch.
    void leave_epoch(std::uint32_t number) const noexcept;

    /// How many epochs, from the first on, all streams have left.
    std::uint32_t complete_epochs() const noexcept {
        // acquire: pairs with the additions in leave_epoch, so that what was done in them has happened.
        return complete_->load(std::memory_order_acquire);
    }

private:
    template <class T>
    const T* table(std::uint64_t offset) const noexcept {
        return reinterpret_cast<const T*>(file_ + offset);
    }

    const std::byte* file_ = nullptr;
    const replay_format::program_header* header_ = nullptr;
    std::atomic<std::uint64_t>* slots_ = nullptr;
    std::atomic<std::uint32_t>* unfinished_ = nullptr; // streams, by epoch
    std::atomic<std::uint32_t>* complete_ = nullptr;
};

/// Zeroed memory from the system, touched already when `touched`; null when there is none.
void* map_memory(std::size_t bytes, bool touched) noexcept;

} // namespace linn::tool::worker
