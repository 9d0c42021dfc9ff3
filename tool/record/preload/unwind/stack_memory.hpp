// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace linn::tool::unwind {

/// Whether the aligned word at `address` can be read: a system call, which cannot fault.
bool probe_word(std::uintptr_t address) noexcept;

/// A range of pages that were found readable, in one word so that a signal handler never sees half of one. The walker
/// asks before it reads: valid unwind tables lead only to mapped stack, but tables can be wrong.
///
/// It may go stale when a coroutine's stack is unmapped. A read then faults only if, besides, a table is wrong or
/// the file that it belonged to was unloaded unseen.
class readable_pages {
public:
    static constexpr unsigned page_shift = 12;

    explicit readable_pages(std::atomic<std::uint64_t>& word) : word_(word) {
        unpack(word.load(std::memory_order_relaxed));
    }

    /// Whether the aligned word there can be read. Probes pages that are not known yet.
    bool word(std::uintptr_t address) { return address - begin_ < size_ || learn(address); }

private:
    void unpack(std::uint64_t packed) {
        begin_ = static_cast<std::uintptr_t>(packed >> count_bits) << page_shift;
        size_ = static_cast<std::uintptr_t>(packed & most_pages) << page_shift;
    }
    bool learn(std::uintptr_t address) noexcept;

    static constexpr unsigned count_bits = 28; // and 36 bits for the number of the first page
    static constexpr std::uint64_t most_pages = (std::uint64_t{1} << count_bits) - 1;

    std::atomic<std::uint64_t>& word_;
    std::uintptr_t begin_ = 0;
    std::uintptr_t size_ = 0; // bytes
};

} // namespace linn::tool::unwind
