// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_SLAB_HPP
#define LINN_DETAIL_CORE_SLAB_HPP

#include <linn/config.hpp>
#include <linn/detail/core/divider.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/core/pointer_run.hpp>
#include <linn/detail/core/slot_bitmap.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

namespace linn::inline LINN_ABI::detail {

/// A stretch of memory that holds objects of one pool. Its header lies at its start, and it is
/// aligned to `slab_align`, so the slab of any object is found by clearing low address bits. (Or it begins
/// `slab_offset` behind such an address: that is subtracted first.)
///
/// ```
///  | header | summary | bitmap | colour | slot 0 | slot 1 | ...  carved ... | never touched ... |
/// ```
///
/// Slots below `carved` were handed out since the slab was last empty; of these, the ones in
/// `free_slots` came back. So: free_count == |free_slots| <= carved <= capacity, and
/// carved - free_count slots are out, with the user or in some magazine. Slots from `carved` up
/// have never been touched, and neither have their pages.
///
/// A slab has no lock: the owner of its slab set serialises access.
struct slab {
    static constexpr std::uintptr_t magic_value = static_cast<std::uintptr_t>(0x6c696e6e'706f6f6cU);

    std::uintptr_t magic = 0;   ///< magic_value ^ own address: copies of a header are no headers
    void* owner = nullptr;      ///< whose it is, for as long as it exists: a depot, or a mark that is none
    std::byte* first = nullptr; ///< slot 0
    std::size_t mapped_bytes = 0;
    std::uint32_t capacity = 0;       ///< in slots
    std::uint32_t carved = 0;         ///< bump: the next slot that was never handed out
    std::uint32_t free_count = 0;     ///< members of free_slots
    std::uint32_t hint = 0;           ///< see slot_bitmap::take
    std::uint32_t touched = 0;        ///< highest `carved` since its pages last went back
    bool available = false;           ///< in its set's list of slabs that have slots to give
    bool returned = false;            ///< its pages are with the system
    bool given_since_trim = false;    ///< discard_free_pages may find something
    std::size_t hole_bytes = 0;       ///< at most this much of the touched part is with the system
    std::size_t kept_bytes = 0;       ///< in memory, touched or not, because it is locked there
    std::uint64_t empty_since_ms = 0; ///< when it was first seen empty; 0: not yet
    divider slot_divider;             ///< divides offsets by the slot size
    slot_bitmap free_slots;
    slab* next = nullptr; ///< neighbours in the list that it is in
    slab* previous = nullptr;
    slab* older = nullptr; ///< all slabs of the set, newest first

    /// Makes the header of a slab in `mapped_bytes` at `memory`. Null when not even one slot fits.
    /// @pre memory lies where `g` wants slabs; all zero if `zeroed`
    /// @complexity O(1), and O(slots / 64) when not zeroed
    static slab* construct(void* memory, std::size_t mapped_bytes, const geometry& g, void* owner,
                           std::size_t colour, bool zeroed) noexcept {
        const std::size_t room = mapped_bytes - sizeof(slab);
        // An upper bound of the slots fixes the bitmap, and the bitmap fixes where slots start.
        const std::size_t bound = room / g.slot_bytes;
        const std::size_t words = slot_bitmap::storage_words(bound);
        const std::size_t fence = g.guarded() ? guard_fence_bytes : 0; // before slot 0
        const std::size_t base = sizeof(slab) + words * sizeof(std::uint64_t) + fence;
        std::size_t offset =
            round_up(base, g.slot_align < cache_line_bytes ? cache_line_bytes : g.slot_align);
        // Slabs start at the same address bits, so without a colour the first objects of all
        // pools would compete for one cache set. At most 1/32 of the slab goes to it.
        const std::size_t step = g.slot_align < cache_line_bytes ? cache_line_bytes : g.slot_align;
        const std::size_t room_for_colour = mapped_bytes / 32 < page_bytes ? mapped_bytes / 32 : page_bytes;
        if (offset + g.slot_bytes + room_for_colour < mapped_bytes) {
            offset += colour * step % round_up(room_for_colour + 1, step);
        }
        if (offset + g.slot_bytes > mapped_bytes) {
            return nullptr;
        }
        slab* s = ::new (memory) slab;
        if (!zeroed) {
            std::memset(static_cast<void*>(s + 1), 0, words * sizeof(std::uint64_t));
        }
        s->magic = magic_value ^ reinterpret_cast<std::uintptr_t>(memory);
        s->owner = owner;
        s->first = static_cast<std::byte*>(memory) + offset;
        s->mapped_bytes = mapped_bytes;
        const std::size_t fits = (mapped_bytes - offset) / g.slot_bytes;
        s->capacity = static_cast<std::uint32_t>(fits < bound ? fits : bound);
        s->slot_divider = divider{static_cast<std::uint32_t>(g.slot_bytes)};
        s->free_slots = slot_bitmap{reinterpret_cast<std::uint64_t*>(s + 1), bound};
        return s;
    }

    /// The slab that holds `object`, if any does: check `is_slab` and `index_of` before trust.
    static slab* of(const void* object, std::size_t slab_align, std::size_t slab_offset = 0) noexcept {
        const auto address = reinterpret_cast<std::uintptr_t>(object) - slab_offset;
        return reinterpret_cast<slab*>((address & ~(static_cast<std::uintptr_t>(slab_align) - 1)) +
                                       slab_offset);
    }

    [[nodiscard]] bool is_slab() const noexcept {
        return magic == (magic_value ^ reinterpret_cast<std::uintptr_t>(this));
    }

    /// For a set of slabs that belongs to no depot: not the mark of another one, and odd, so no depot either.
    static void* mark_of(void* set) noexcept { return static_cast<std::byte*>(set) + 1; }
    /// The depot that takes its objects back; null for a slab of a pool that is an object.
    [[nodiscard]] void* depot() const noexcept {
        return reinterpret_cast<std::uintptr_t>(owner) % 2 == 0 ? owner : nullptr;
    }

    /// is_slab for readable memory of unknown owner: it may be a red zone of AddressSanitizer's, and
    /// another thread may be writing it.
    [[LINN_DETAIL_NOINLINE]] __attribute__((__no_sanitize__("address", "thread"))) static bool
    seems_to_start_at(const slab* s) noexcept {
        const std::uint64_t found = *static_cast<const volatile decltype(magic)*>(&s->magic);
        return found == (magic_value ^ reinterpret_cast<std::uintptr_t>(s));
    }

    static constexpr std::uint32_t no_index = UINT32_MAX;

    /// The slot number of `object`, or no_index when no carved slot starts at that address.
    /// @pre `object` lies in the aligned range that begins with this slab
    [[nodiscard]] std::uint32_t index_of(const void* object) const noexcept {
        // Before the first slot the difference wraps to a number beyond any slot's.
        const auto offset = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(object) -
                                                       reinterpret_cast<std::uintptr_t>(first));
        const std::uint32_t index = slot_divider.quotient(offset);
        return index < carved && index * slot_divider.divisor() == offset ? index : no_index;
    }

    /// Whether `object` is inside. Behind a slab that is smaller than its alignment lies other memory.
    [[nodiscard]] bool spans(const void* object) const noexcept {
        return reinterpret_cast<std::uintptr_t>(object) - reinterpret_cast<std::uintptr_t>(this) <
               mapped_bytes;
    }

    /// Whether a slot starts at `object`, carved or not.
    [[nodiscard]] bool starts_slot(const void* object) const noexcept {
        const std::uintptr_t offset =
            reinterpret_cast<std::uintptr_t>(object) - reinterpret_cast<std::uintptr_t>(first);
        return offset < mapped_bytes && offset % slot_divider.divisor() == 0 &&
               offset / slot_divider.divisor() < capacity;
    }

    [[nodiscard]] std::byte* address_of(std::size_t index) const noexcept {
        return first + index * slot_divider.divisor();
    }

    [[nodiscard]] std::uint32_t out() const noexcept { return carved - free_count; }
    [[nodiscard]] bool has_slots() const noexcept { return free_count != 0 || carved < capacity; }

    /// Writes up to `want` slots below `end`, so that popping from the top yields ascending
    /// addresses: freed slots first, then fresh ones.
    /// @returns how many
    std::size_t take(void** end, std::size_t want) noexcept {
        const std::size_t size = slot_divider.divisor();
        void** cursor = end;
        const auto write_run = [&](std::size_t index, std::size_t count) {
            cursor = write_run_below(cursor, first + index * size, count, size);
        };
        if (free_count != 0) {
            const std::size_t n = want < free_count ? want : free_count;
            free_count -= static_cast<std::uint32_t>(free_slots.take(n, carved, hint, write_run));
        }
        const auto got = static_cast<std::size_t>(end - cursor);
        const std::size_t fresh = capacity - carved;
        const std::size_t more = want - got < fresh ? want - got : fresh;
        write_run(carved, more);
        carved += static_cast<std::uint32_t>(more);
        if (carved > touched) {
            touched = carved;
        }
        if (hole_bytes != 0) [[__unlikely__]] {
            const std::size_t refilled = (got + more) * size;
            hole_bytes -= refilled < hole_bytes ? refilled : hole_bytes;
        }
        return got + more;
    }

    /// Takes back `count` slots from `index` on. False when one of them is free already.
    bool give(std::uint32_t index, std::size_t count) noexcept {
        if (!(count == 1 ? free_slots.insert(index) : free_slots.insert(index, count))) [[__unlikely__]] {
            return false;
        }
        free_count += static_cast<std::uint32_t>(count);
        given_since_trim = true;
        const std::uint32_t word = slot_bitmap::hint_of(index);
        if (word < hint) {
            hint = word;
        }
        return true;
    }

    /// Forgets all slots of a slab that has none out: it will be carved from its start again.
    void reset() noexcept {
        free_slots.clear(carved);
        carved = 0;
        free_count = 0;
        hint = 0;
    }

    /// Calls `discard(begin, bytes)` for each stretch of whole pages on which no slot is out, so that
    /// a few long-lived objects do not hold a whole slab in memory. Slots that are free stay free:
    /// their pages come back, zeroed, when they are next used.
    /// The last `keep` bytes of each stretch stay, because they are the next object's fence.
    /// @returns the bytes that `discard` accepted, less those that were returned before
    /// @pre nothing is taken from the slab meanwhile
    template <class Discard>
    std::size_t discard_free_pages(Discard&& discard, std::size_t keep = 0) noexcept {
        if (!given_since_trim) {
            return 0;
        }
        given_since_trim = false;
        std::size_t bytes = 0;
        const auto discard_slots = [&](std::size_t index, std::size_t count) {
            const auto begin = reinterpret_cast<std::uintptr_t>(address_of(index));
            const std::size_t first_page = round_up(begin, page_bytes);
            const std::size_t last_page =
                (begin + count * slot_divider.divisor() - keep) / page_bytes * page_bytes;
            if (last_page <= first_page) {
                return;
            }
            if (discard(reinterpret_cast<void*>(first_page), last_page - first_page)) {
                bytes += last_page - first_page;
            } else {
                given_since_trim = true; // the next trim asks again
            }
        };
        free_slots.for_each_run(carved, discard_slots);
        kept_bytes = bytes != 0 ? 0 : kept_bytes;
        const std::size_t before = hole_bytes; // these pages went back at an earlier trim
        hole_bytes = bytes;
        return bytes > before ? bytes - before : 0;
    }

    /// Checks the sentences above this struct. For tests. @complexity O(slots)
    [[nodiscard]] bool consistent(const void* expected_owner) const noexcept {
        if (!is_slab() || owner != expected_owner || free_count > carved || carved > capacity ||
            touched < carved) {
            return false;
        }
        std::size_t free = 0;
        for (std::size_t i = 0; i < carved; ++i) {
            free += free_slots.contains(i) ? 1U : 0U;
        }
        return free == free_count && (!available || has_slots());
    }

    /// The part that can go back to the system while the slab is empty: all but the header's page.
    [[nodiscard]] std::byte* returnable_begin() noexcept {
        return reinterpret_cast<std::byte*>(this) + round_up(sizeof(slab), page_bytes);
    }
    [[nodiscard]] std::size_t returnable_bytes() const noexcept {
        return mapped_bytes - round_up(sizeof(slab), page_bytes);
    }
    /// Where the pages begin that were never in use since the last return, counted from the slab.
    [[nodiscard]] std::size_t touched_end() const noexcept {
        const auto head = static_cast<std::size_t>(first - reinterpret_cast<const std::byte*>(this));
        const std::size_t end = round_up(head + std::size_t{touched} * slot_divider.divisor(), page_bytes);
        return touched == 0 ? page_bytes : (end < mapped_bytes ? end : mapped_bytes);
    }
    /// Of these, the bytes that were in use at some time since the last return, or stay in memory in any case.
    [[nodiscard]] std::size_t touched_bytes() const noexcept {
        const std::size_t bytes = touched_end() - page_bytes;
        const std::size_t left = bytes > hole_bytes ? bytes - hole_bytes : 0;
        return left > kept_bytes ? left : kept_bytes;
    }
};

} // namespace linn::inline LINN_ABI::detail

#endif
