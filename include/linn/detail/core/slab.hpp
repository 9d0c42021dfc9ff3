// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_SLAB_HPP
#define LINN_DETAIL_CORE_SLAB_HPP

#include <linn/config.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/core/pointer_run.hpp>
#include <linn/detail/core/slot_bitmap.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

namespace linn::inline LINN_ABI::detail {

struct slab;

/// Pages of one slab that go back to the system: found and noted under a lock, returned without.
struct cold_pages {
    static constexpr std::size_t most = 32;

    struct stretch {
        std::byte* begin;
        std::size_t bytes;
    };

    slab* of = nullptr;
    bool whole = false; ///< all of a slab that is empty
    /// Of these, behind the slots that were handed out since the slab was last empty.
    std::size_t tail_bytes = 0;
    std::size_t runs = 0;
    stretch run[most]; // NOLINT: the first `runs` are set

    [[nodiscard]] bool is_full() const noexcept { return runs == most; }
    void add(std::byte* begin, std::size_t bytes) noexcept { run[runs++] = {begin, bytes}; }
};

/// A stretch of memory that holds objects of one pool. Its header lies at its start, and it is
/// aligned to `slab_align`, so the slab of any object is found by clearing low address bits. (Or it begins
/// `slab_offset` behind such an address: that is subtracted first.)
///
/// ```
///  | header | summary | bitmap | colour | slot 0 | slot 1 | ...  carved ... | never touched ... |
/// ```
///
/// Slots below `carved` were handed out since the slab was last reset; of these, the ones in `free_slots` came back:
/// |free_slots| == carved - out() <= carved <= capacity, and out() slots are with the user or in some cache. Nothing counts
/// them, because a counter would be the one word that every free of a slab writes. Slots from `carved` up have never been
/// touched, and neither have their pages.
///
/// A slab has no lock: the owner of its slab set serialises access.
struct slab {
    static constexpr std::uintptr_t magic_value = static_cast<std::uintptr_t>(0x6c696e6e'706f6f6cU);

    /// Which of its set's lists it is in.
    enum class place : unsigned char {
        full,      ///< in no list: nothing to give
        available, ///< may have slots to give
        empty,     ///< known to have no slot out, and reset; resident, kept for reuse
        returned,  ///< no slot out, its pages are with the system
        away, ///< in no list: its owner returns pages of it to the system, and it gives nothing meanwhile
    };

    std::uintptr_t magic = 0;   ///< magic_value ^ own address: copies of a header are no headers
    void* owner = nullptr;      ///< whose it is, for as long as it exists: a depot, or a mark that is none
    std::byte* first = nullptr; ///< slot 0
    std::size_t carved = 0;     ///< bump: the next slot that was never handed out
    std::uint32_t capacity = 0; ///< in slots
    std::uint32_t slot_bytes = 0;
    std::uint32_t touched = 0; ///< highest `carved` since its pages last went back
    place where = place::full;
    bool refilled = false;       ///< slots were taken since the last sweep
    std::uint32_t out_seen = 0;  ///< out() at the last sweep
    std::uint32_t found_out = 0; ///< a slot that was out at the last `is_unused`
    std::uint32_t pass_out = 0;  ///< out() in the last pass of `find_free_pages`
    std::uint32_t pass_end = 0;  ///< the slots below went through it; more than `carved` when it is over
    std::size_t pass_bytes = 0;  ///< that it found and that went back
    std::size_t mapped_bytes = 0;
    std::size_t hole_bytes = 0;   ///< at most this much of it is with the system
    std::size_t kept_bytes = 0;   ///< in memory, touched or not, because it is locked there
    bool refused = false;         ///< the system did not take pages that `find_free_pages` found
    bool huge = false;            ///< asks for huge pages, but not while pages are with the system
    bool small_pages = false;     ///< asks for none now, because pages went back
    std::uint64_t changed_ms = 0; ///< when a slot was last taken or given, as far as a sweep has seen
    slot_bitmap free_slots;
    slab* next = nullptr; ///< neighbours in the list that it is in
    slab* previous = nullptr;
    slab* older = nullptr; ///< all slabs of the set, newest first
    slab* newer = nullptr;

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
        const std::size_t step = g.slot_align < cache_line_bytes ? cache_line_bytes : g.slot_align;
        std::size_t offset = round_up(base, step);
        // Slabs start at the same address bits, so without a colour the first objects of all
        // pools would compete for one cache set. At most 1/32 of the slab goes to it.
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
        s->slot_bytes = static_cast<std::uint32_t>(g.slot_bytes);
        s->free_slots = slot_bitmap{s->words(), bound};
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
    [[LINN_DETAIL_NOINLINE]] LINN_DETAIL_UNCHECKED("address", "thread") static bool seems_to_start_at(
        const slab* s) noexcept {
        const std::uint64_t found = *static_cast<const volatile decltype(magic)*>(&s->magic);
        return found == (magic_value ^ reinterpret_cast<std::uintptr_t>(s));
    }

    static constexpr std::size_t no_index = SIZE_MAX;

    /// Where the bitmap's words begin.
    [[nodiscard]] std::uint64_t* words() noexcept { return reinterpret_cast<std::uint64_t*>(this + 1); }

    /// The slot number of `object`, or no_index when no carved slot starts at that address.
    /// @param by divides by the slot size
    [[nodiscard]] std::size_t index_of(const void* object, exact_divider by) const noexcept {
        const std::size_t index =
            by.quotient(reinterpret_cast<std::uintptr_t>(object) - reinterpret_cast<std::uintptr_t>(first));
        return index < carved ? index : no_index;
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
        return offset < mapped_bytes && offset % slot_bytes == 0 && offset / slot_bytes < capacity;
    }

    [[nodiscard]] std::byte* address_of(std::size_t index) const noexcept {
        return first + index * slot_bytes;
    }

    /// Where slot `index` begins, from the start of the slab.
    [[nodiscard]] std::size_t offset_of(std::size_t index) const noexcept {
        return static_cast<std::size_t>(address_of(index) - reinterpret_cast<const std::byte*>(this));
    }

    /// @complexity O(carved / 64)
    [[nodiscard]] std::uint32_t out() const noexcept {
        return static_cast<std::uint32_t>(carved - free_slots.count(carved));
    }
    /// Whether no slot is out. @complexity O(carved / 64), and constant while a slot that it found out stays out
    [[nodiscard]] bool is_unused() noexcept {
        if (found_out >= carved || free_slots.contains(found_out)) {
            found_out = static_cast<std::uint32_t>(free_slots.find(false, 0, carved));
        }
        return found_out == carved;
    }
    /// Whether slots were out, and none is now.
    [[nodiscard]] bool came_back() noexcept { return carved != 0 && is_unused(); }

    /// Writes up to `want` slots below `end`, so that popping from the top yields ascending
    /// addresses: freed slots first, then fresh ones, if `may_carve` or where none was freed.
    /// @returns how many
    std::size_t take(void** end, std::size_t want, bool may_carve) noexcept {
        const std::size_t size = slot_bytes;
        std::byte* const begin = first;
        const std::size_t freed = free_slots.take(want, carved, [&](std::size_t index, std::size_t count) {
            end = write_run_below(end, begin + index * size, count, size);
        });
        const std::size_t fresh = may_carve || freed == 0 ? capacity - carved : 0;
        const std::size_t more = want - freed < fresh ? want - freed : fresh;
        write_run_below(end, begin + carved * size, more, size);
        carved += more;
        if (carved > touched) {
            touched = static_cast<std::uint32_t>(carved);
        }
        const std::size_t got = freed + more;
        refilled = true;
        pass_end = 0;
        if (hole_bytes != 0) [[LINN_DETAIL_UNLIKELY]] {
            const std::size_t back = got * size;
            hole_bytes -= back < hole_bytes ? back : hole_bytes;
        }
        return got;
    }

    /// Takes back `count` slots from `index` on. False when one of them is free already.
    bool give(std::size_t index, std::size_t count) noexcept { return free_slots.insert(index, count); }

    /// Forgets all slots of a slab that has none out: it will be carved from its start again.
    void reset() noexcept {
        free_slots.clear(carved);
        carved = 0;
    }

    /// Whether nothing was taken or given for `ms`. @param latest when it last could have been
    bool unchanged_for(std::uint64_t ms, std::uint64_t now_ms, std::uint64_t latest) noexcept {
        if (const std::uint32_t now_out = out(); refilled || now_out != out_seen) {
            refilled = false;
            out_seen = now_out;
            changed_ms = latest;
        }
        return now_ms - changed_ms >= ms && touched != 0;
    }

    /// Notes in `leaving` stretches of whole pages on which no slot is out, so that
    /// a few long-lived objects do not hold a whole slab in memory; as many as fit, the next call goes on from there. Slots that
    /// are free stay free: their pages come back, zeroed, when they are next used.
    /// The last `keep` bytes of each stretch stay, because they are the next object's fence.
    [[LINN_DETAIL_COLD]] void find_free_pages(cold_pages& leaving, std::size_t keep) noexcept {
        if (const std::uint32_t now_out = out(); pass_end == 0 || pass_out != now_out) {
            pass_out = now_out;
            pass_end = 0;
            pass_bytes = 0;
        }
        if (pass_end > carved) {
            return; // also where the system refused: it would again
        }
        free_slots.for_each_run(pass_end, carved, [&](std::size_t index, std::size_t count) {
            const auto begin = reinterpret_cast<std::uintptr_t>(address_of(index));
            const std::size_t first_page = round_up(begin, page_bytes);
            const std::size_t last_page = (begin + count * slot_bytes - keep) / page_bytes * page_bytes;
            if (last_page > first_page) {
                leaving.add(reinterpret_cast<std::byte*>(first_page), last_page - first_page);
            }
            pass_end = static_cast<std::uint32_t>(index + count);
            return !leaving.is_full();
        });
        if (!leaving.is_full()) {
            pass_end = static_cast<std::uint32_t>(carved) + 1;
            const std::size_t carved_end = round_up(offset_of(carved), page_bytes);
            if (const std::size_t end = round_up(offset_of(touched), page_bytes); end > carved_end) {
                leaving.tail_bytes = (end < mapped_bytes ? end : mapped_bytes) - carved_end;
                leaving.add(reinterpret_cast<std::byte*>(this) + carved_end, leaving.tail_bytes);
            }
        }
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
        const std::size_t end = round_up(offset_of(touched), page_bytes);
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
