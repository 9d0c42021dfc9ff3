// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_TRACKED_BLOCKS_HPP
#define LINN_DETAIL_SYNC_TRACKED_BLOCKS_HPP

#include <linn/config.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/sanitizer/asan.hpp>
#include <linn/detail/sync/mutex.hpp>
#include <linn/types/pool_statistics.hpp>

#include <cstddef>
#include <cstdint>
#include <new>

namespace linn::inline LINN_ABI::detail {

/// The source of a block's memory, to which it is returned.
enum class block_origin : unsigned char { upstream, operator_new };

/// What stands before a block that is not in a slab, so that all of them can be found and freed.
struct tracked_block {
    tracked_block* next;
    tracked_block* previous;
    std::size_t bytes; ///< as asked for
    std::size_t align;
    std::uintptr_t magic; ///< magic_value ^ own address ^ the list's
    block_origin origin;

    static constexpr std::uintptr_t magic_value = static_cast<std::uintptr_t>(0x6c696e6e'626c6f63U);

    /// Room before a block of that alignment.
    static constexpr std::size_t head_bytes(std::size_t align) noexcept;

    [[nodiscard]] void* memory() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
    [[nodiscard]] void* base() noexcept { return static_cast<std::byte*>(memory()) - head_bytes(align); }
    [[nodiscard]] std::size_t total_bytes() const noexcept { return head_bytes(align) + bytes; }
    static tracked_block* before(void* memory) noexcept { return static_cast<tracked_block*>(memory) - 1; }
};

inline constexpr std::size_t block_align = sizeof(void*) * 2;
static_assert(sizeof(tracked_block) % block_align == 0);

constexpr std::size_t tracked_block::head_bytes(std::size_t align) noexcept {
    return round_up(sizeof(tracked_block), align < block_align ? block_align : align);
}

/// All blocks of one resource that are not in slabs: oversize ones, and every one where a memory
/// checker is to see them. A list under a lock. AddressSanitizer treats the heads as out of bounds to
/// everybody but the functions here.
template <class Policy>
class tracked_blocks {
public:
    using mutex_type = typename Policy::mutex;

    explicit tracked_blocks(fork_stopper& owner) noexcept : lock_{owner} {}

    /// Makes a block in `base`, which has head_bytes(align) + bytes. @returns the block's memory
    void* add(void* base, std::size_t bytes, std::size_t align, block_origin origin) noexcept {
        const std::size_t head = tracked_block::head_bytes(align);
        void* memory = static_cast<std::byte*>(base) + head;
        auto* b = ::new (static_cast<void*>(tracked_block::before(memory)))
            tracked_block{nullptr, nullptr, bytes, align, 0, origin};
        b->magic = magic_of(b);
        {
            lock_guard<mutex_type> guard{lock_};
            link(b);
        }
        poison(base, head);
        return memory;
    }

    /// What `take` found.
    enum class outcome : unsigned char { taken, unknown, other_size };

    /// Takes the block at `memory` out of the list, if it is one, and was made with that size and
    /// alignment. A checked build reads nothing that is not a block.
    outcome take(void* memory, std::size_t bytes, std::size_t align) noexcept {
        lock_guard<mutex_type> guard{lock_};
        tracked_block* b = tracked_block::before(memory);
        // What is not aligned as blocks are is none, and must not be read as one.
        if (reinterpret_cast<std::uintptr_t>(memory) % block_align != 0 ||
            (checked_build ? !contains_locked(b) : !is_block(b))) {
            return outcome::unknown;
        }
        if (!fits(b, bytes, align)) {
            return outcome::other_size;
        }
        take_out(b);
        return outcome::taken;
    }

    /// Passes every block to `put(block)`, with no lock held. @pre no other thread adds or takes one
    template <class Put>
    void give_up(Put&& put) noexcept {
        while (tracked_block* b = take_first()) {
            put(b);
        }
    }

    [[nodiscard]] bool contains(void* memory) noexcept {
        lock_guard<mutex_type> guard{lock_};
        return contains_locked(tracked_block::before(memory));
    }

    /// All but the type.
    [[nodiscard]] pool_statistics statistics() noexcept {
        lock_guard<mutex_type> guard{lock_};
        pool_statistics s;
        s.live = live_;
        s.peak = peak_;
        s.reserved_bytes = s.resident_bytes = bytes_;
        return s;
    }

    mutex_type& lock() noexcept { return lock_; }

private:
    tracked_block* take_first() noexcept {
        lock_guard<mutex_type> guard{lock_};
        tracked_block* const b = first_;
        if (b != nullptr) {
            take_out(b);
        }
        return b;
    }

    void take_out(tracked_block* b) noexcept {
        unpoison(b, sizeof *b);
        unpoison(b->base(), tracked_block::head_bytes(b->align));
        unlink(b);
        b->magic = 0;
    }

    // In the heads of other blocks, which are poisoned.
#define LINN_DETAIL_NO_ASAN [[LINN_DETAIL_NOINLINE]] LINN_DETAIL_UNCHECKED("address")
    LINN_DETAIL_NO_ASAN void link(tracked_block* b) noexcept {
        b->next = first_;
        if (first_ != nullptr) {
            first_->previous = b;
        }
        first_ = b;
        bytes_ += b->total_bytes();
        if (++live_ > peak_) {
            peak_ = live_;
        }
    }
    LINN_DETAIL_NO_ASAN void unlink(tracked_block* b) noexcept {
        (b->previous != nullptr ? b->previous->next : first_) = b->next;
        if (b->next != nullptr) {
            b->next->previous = b->previous;
        }
        bytes_ -= b->total_bytes();
        --live_;
    }
    /// Says whose block it is too: in the list of another resource it would damage both.
    std::uintptr_t magic_of(const tracked_block* b) const noexcept {
        return tracked_block::magic_value ^ reinterpret_cast<std::uintptr_t>(b) ^
               reinterpret_cast<std::uintptr_t>(this);
    }
    LINN_DETAIL_NO_ASAN bool is_block(const tracked_block* b) const noexcept {
        return b->magic == magic_of(b);
    }
    LINN_DETAIL_NO_ASAN static bool fits(const tracked_block* b, std::size_t bytes,
                                         std::size_t align) noexcept {
        return b->bytes == bytes && b->align == align;
    }
    LINN_DETAIL_NO_ASAN bool contains_locked(const tracked_block* wanted) const noexcept {
        const tracked_block* b = first_;
        while (b != nullptr && b != wanted) {
            b = b->next;
        }
        return b != nullptr;
    }
#undef LINN_DETAIL_NO_ASAN

    mutex_type lock_;
    tracked_block* first_ = nullptr;
    std::size_t live_ = 0;
    std::size_t peak_ = 0;
    std::size_t bytes_ = 0;
};

} // namespace linn::inline LINN_ABI::detail

#endif
