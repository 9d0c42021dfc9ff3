// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace linn::tool::preload {

/// A change that one thread at a time makes; none waits for another.
class turn {
public:
    explicit turn(std::atomic<bool>& is_taken) noexcept
        : is_taken_(is_taken),
          is_mine_(!is_taken.exchange(true, std::memory_order_seq_cst)) {}
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;
    ~turn() {
        if (is_mine_) {
            is_taken_.store(false, std::memory_order_seq_cst);
        }
    }
    explicit operator bool() const noexcept { return is_mine_; }

private:
    std::atomic<bool>& is_taken_;
    bool is_mine_;
};

// The words through which the files of a running program call the allocator, and through which they call the hooks while
// they are in. A preload needs none of this: there the loader fills these words with the hooks.
namespace slots {

/// Puts hooks into the slots of all files that are mapped, with fills also of memset. Takes the loader's lock, so that none is
/// unmapped meanwhile. False without memory.
bool put_in(bool with_fills) noexcept;

/// A call that was the first through its slot while the hooks went in has led the loader to fill the slot: puts the hook in.
void look_again() noexcept;

/// Puts back what was there. A slot that has got another value meanwhile keeps it. False while a file is being unmapped: try
/// again. Afterwards nothing is known of any slot.
bool take_out() noexcept;

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

/// In a forked child: who was unmapping or changing slots in another thread of the parent does not finish here.
void after_fork() noexcept;

} // namespace slots
} // namespace linn::tool::preload
