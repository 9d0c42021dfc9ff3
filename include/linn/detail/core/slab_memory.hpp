// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_SLAB_MEMORY_HPP
#define LINN_DETAIL_CORE_SLAB_MEMORY_HPP

#include <linn/config.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/core/linked_list.hpp>
#include <linn/detail/core/pointers.hpp>
#include <linn/detail/core/slab.hpp>
#include <linn/detail/core/slab_states.hpp>
#include <linn/detail/core/slot_guard.hpp>
#include <linn/types/pool_statistics.hpp>

#include <cstddef>
#include <cstdint>

namespace linn::inline LINN_ABI::detail {

/// The slabs of one pool as memory: where they come from and how large the next one is, whether an address may be looked at, and
/// when their pages go back. The owner of the set serialises.
///
/// `count` slabs hang together by slab::older, the newest first. The header of each lies between two bounds, which shrink only
/// when there is none left. `out = sum of the slots out of each slab <= peak`, `absent = sum of the slabs' hole_bytes`.
///
/// Slabs are never unmapped while the set lives: a slot's address is never reused for another type.
template <page_source Pages, bool Guards>
class slab_memory {
public:
    slab_memory(const slab_memory&) = delete;
    slab_memory& operator=(const slab_memory&) = delete;

    /// Where slots may come from.
    enum class growth : unsigned char {
        allowed,   ///< what is here, then memory of the system
        forbidden, ///< what is here
        lending,   ///< for threads that have slabs of their own: see slab_states::spare
    };

    [[nodiscard]] const geometry& sizes() const noexcept { return geometry_; }
    [[nodiscard]] slab* newest() const noexcept { return all_.front(); }
    [[nodiscard]] std::size_t slab_count() const noexcept { return count_; }
    [[nodiscard]] std::size_t mapped_bytes() const noexcept { return mapped_bytes_; }

    /// The slab that `object` points into, found by walking: safe for any pointer.
    /// @complexity O(slabs)
    [[nodiscard]] slab* find(const void* object) const noexcept {
        slab* s = newest();
        while (s != nullptr && !s->spans(object)) {
            s = s->older;
        }
        return s;
    }

    /// How large the next slab should be: each doubles what is mapped, from the first size up to the alignment.
    [[nodiscard]] std::size_t next_slab_bytes() const noexcept {
        const geometry& g = geometry_;
        std::size_t bytes = g.first_slab_bytes;
        const bool one_each = g.slot_bytes > g.slab_align / 8;
        while (!one_each && bytes < mapped_bytes_ && bytes < g.slab_align) {
            bytes *= 2;
        }
        return bytes < g.slab_align ? bytes : g.slab_align;
    }

    /// Asks for very much at once first: slab by slab, an impossible request would take long to fail, and
    /// fill the memory with headers meanwhile.
    [[LINN_DETAIL_COLD]] bool may_map(std::size_t bytes) noexcept {
        if (bytes > geometry_.max_bytes - mapped_bytes_) {
            note(shortage::limit);
            return false;
        }
        constexpr std::size_t very_much = std::size_t{1} << 30;
        if (bytes < very_much) {
            return true;
        }
        void* probe = Pages::map(bytes, page_bytes);
        if (probe == nullptr) {
            note(shortage::memory);
            return false;
        }
        Pages::unmap(probe, bytes, page_bytes);
        return true;
    }

    void note(shortage why) noexcept { news_.why = why; }
    /// What was done, and why the last call that failed did, since the last time this was asked.
    slab_news take_news() noexcept {
        const slab_news news = news_;
        news_ = slab_news{};
        return news;
    }

    /// An empty slab, which has no owner until another set of the same geometry calls `take_over`; null when there is none.
    [[LINN_DETAIL_COLD]] slab* part_with_empty() noexcept {
        slab* s = states_.find_unused(few_slabs);
        if (s != nullptr) {
            states_.take_away(s);
            s->reset();
            forget(s);
            s->owner = nullptr;
        }
        return s;
    }
    [[LINN_DETAIL_COLD]] void take_over(slab* s) noexcept {
        s->owner = owner_;
        add(s);
        absent_bytes_ += s->hole_bytes;
        states_.make_available(s);
    }

    /// Maps slabs until `want` slots could be taken without asking the system.
    /// @returns false when a limit or the system refused; then nothing has changed. To keep what was mapped
    /// would leave the process with no mapping to spare for anything else.
    [[LINN_DETAIL_COLD]] bool reserve(std::size_t want) noexcept {
        if (want > geometry_.max_slots - out_) {
            note(shortage::limit);
            return false;
        }
        if (want > static_cast<std::size_t>(PTRDIFF_MAX) / geometry_.slot_bytes) {
            note(shortage::memory);
            return false;
        }
        slab* const newest_before = newest();
        std::size_t ready = 0;
        for (slab* s = newest(); s != nullptr; s = s->older) {
            ready += s->capacity;
        }
        ready -= out_;
        if (ready < want && !may_map((want - ready) * geometry_.slot_bytes)) {
            return false;
        }
        while (ready < want) {
            slab* s = map_slab(use::later);
            if (s == nullptr) {
                while (newest() != newest_before) { // empty, and no slot of it was ever handed out
                    s = newest();
                    states_.take_away(s);
                    forget(s);
                    --news_.slabs;
                    news_.bytes -= s->mapped_bytes;
                    Pages::unmap(s, s->mapped_bytes, geometry_.slab_align);
                }
                return false;
            }
            states_.make_empty(s);
            ready += s->capacity;
        }
        return true;
    }

    /// Adds a slab in memory that the owner got elsewhere: for a set whose `Pages` map nothing.
    /// @pre where `sizes()` wants slabs, at most as large as `slab_align`, all zero if `Pages::zeroed`
    /// @returns false when not even one slot fits
    bool adopt(void* memory, std::size_t bytes) noexcept {
        slab* s = add_slab(memory, bytes);
        if (s != nullptr) {
            states_.make_available(s);
        }
        return s != nullptr;
    }

    /// Forgets a slab that is away; its memory is the caller's now, who returns it. @param returned the bytes that count for it
    void disown(slab* s, std::size_t returned) noexcept {
        returned_bytes_ += returned;
        forget(s);
        s->magic = 0;
    }

    // -- memory goes back ------------------------------------------------------------------------

    /// Whether more free memory than `retain_bytes` is here, so that `take_cold` is worth a look at the clock.
    [[nodiscard]] bool has_excess() const noexcept {
        return mapped_bytes() - absent_bytes_ - out_ * geometry_.slot_bytes > geometry_.retain_bytes;
    }

    /// Notes in `leaving` pages to return: of a slab from which nothing was taken, and to which nothing was given, for a second.
    /// The slab is away until the caller, who discards without a lock if it has one, calls `put_cold`, or `disown` for a
    /// whole one. A visit looks at a bounded number of slabs, the next one goes on from there.
    ///
    /// Changes are seen by comparison, so that a free costs nothing for it. Where no slot was taken since the last visit, a slab that
    /// differs changed at that visit at the latest; otherwise it may have changed just now. A visit is all calls within `sweep_ms`.
    /// @returns whether there are any
    [[LINN_DETAIL_COLD]] bool take_cold(std::uint64_t now_ms, cold_pages& leaving) noexcept {
        const bool due = now_ms - swept_ms_ >= sweep_ms;
        if (taken_ || due) {
            before_ms_ = taken_ ? now_ms : visit_ms_;
        }
        taken_ = false;
        visit_ms_ = now_ms;
        if (due) {
            swept_ms_ = now_ms;
            sweep_at_ = sweep_at_ != nullptr ? sweep_at_ : newest();
        }
        for (std::size_t looked = 0; sweep_at_ != nullptr && looked != sweep_slabs && has_excess();
             ++looked) {
            slab* s = sweep_at_;
            const bool may_leave = s->where == slab::place::empty || s->where == slab::place::available;
            if (!may_leave || !s->unchanged_for(retain_ms, now_ms, before_ms_) || !cold_runs(s, leaving)) {
                sweep_at_ = s->older;
                continue;
            }
            return true;
        }
        return false;
    }

    /// An empty slab of any age, as by `take_cold`. @returns whether there is one @complexity O(slabs)
    bool take_empty(cold_pages& leaving) noexcept {
        slab* s = states_.find_unused(SIZE_MAX);
        return s != nullptr && cold_runs(s, leaving);
    }

    /// Returns the pages to the system. Needs no serialisation: nothing is taken from the slab meanwhile.
    /// @returns how many bytes of addresses; the system refuses others, as it does for locked memory
    [[LINN_DETAIL_COLD]] static std::size_t discard(const cold_pages& leaving) noexcept {
        std::size_t bytes = 0;
        for (std::size_t i = 0; i != leaving.runs; ++i) {
            const cold_pages::stretch& run = leaving.run[i];
            bytes += Pages::discard(run.begin, run.bytes) ? run.bytes : 0;
        }
        if (bytes != 0 && leaving.of->huge) {
            Pages::prefer_small(leaving.of, leaving.of->mapped_bytes);
        }
        return bytes;
    }

    /// The slab of `take_cold` or `take_empty` is one of the set again. @param gone what `discard` returned
    /// @returns the bytes that went back
    [[LINN_DETAIL_COLD]] std::size_t put_cold(const cold_pages& leaving, std::size_t gone) noexcept {
        slab* s = leaving.of;
        const std::size_t before = returned_bytes_;
        if (!leaving.whole) {
            note_partly_absent(s, leaving, gone);
        } else if (gone != 0) {
            note_all_absent(s, s->touched_bytes());
        } else {
            s->kept_bytes = present_bytes(s);
            s->touched = 0;
        }
        states_.put_back(s, leaving.whole);
        return returned_bytes_ - before;
    }

    /// Returns those pages of `s` on which no slot is out. @pre no slot is allocated meanwhile
    [[LINN_DETAIL_COLD]] std::size_t discard_free_pages(slab* s) noexcept {
        const std::size_t before = returned_bytes_;
        if (s->is_unused()) {
            discard_kept(s);
        } else if (s->where == slab::place::available) {
            if (s->refused) {
                s->pass_end = 0; // asks for all of it again
            }
            for (cold_pages leaving; cold_runs(s, leaving); leaving = cold_pages{}) {
                put_cold(leaving, discard(leaving));
            }
        }
        return returned_bytes_ - before;
    }

    /// Each slab gets a turn to return its free pages, from the newest on. The owner may unlock in between: slabs come and go.
    void begin_trim() noexcept { trim_at_ = newest(); }
    /// @param bytes grows by those that went back; those of an empty slab are noted in `leaving`, as by `take_cold`
    /// @param pages whether those of other slabs go back @returns false when all slabs had their turn
    [[LINN_DETAIL_COLD]] bool trim_next(std::size_t& bytes, cold_pages& leaving, bool pages = true) noexcept {
        slab* s = trim_at_;
        if (s == nullptr) {
            return false;
        }
        trim_at_ = s->older;
        if (s->where == slab::place::empty || (s->where == slab::place::available && s->came_back())) {
            cold_runs(s, leaving);
        } else if (pages) {
            bytes += discard_free_pages(s);
        }
        return true;
    }

    /// In the child of a fork: the thread that would bring a slab back is gone. @complexity O(slabs)
    [[LINN_DETAIL_COLD]] void put_back_all() noexcept {
        for (slab* s = newest(); s != nullptr; s = s->older) {
            if (s->where == slab::place::away) {
                states_.put_back(s, false);
            }
        }
    }

    /// Passes each slab to `put(slab)`, whether slots are out or not, and has none then.
    template <class Put>
    void give_up(Put&& put) noexcept {
        for (slab* s = newest(); s != nullptr;) {
            slab* older = s->older;
            s->magic = 0;
            s->owner = nullptr;
            put(s);
            s = older;
        }
        forget_all();
    }
    [[LINN_DETAIL_COLD]] void unmap_all() noexcept {
        give_up([this](slab* s) { Pages::unmap(s, s->mapped_bytes, geometry_.slab_align); });
    }

    /// Drops the slabs without unmapping them.
    void forget_all() noexcept {
        all_ = {};
        headers_ = others_ = {};
        states_ = {};
        count_ = mapped_bytes_ = out_ = absent_bytes_ = 0;
        sweep_at_ = trim_at_ = nullptr;
    }

    /// Takes every slot back at once and keeps the slabs.
    void reset_all() noexcept {
        states_.reset_all(newest());
        out_ = 0;
    }

    [[nodiscard]] std::size_t out() const noexcept { return out_; }
    [[nodiscard]] std::size_t peak() const noexcept { return peak_; }
    [[nodiscard]] std::size_t returned_bytes() const noexcept { return returned_bytes_; }

    /// Adds the numbers of the slabs, those of slots apart from the peak. @complexity O(slabs)
    void add_to(pool_statistics& s) const noexcept {
        s.peak += peak_;
        s.slabs += slab_count();
        s.reserved_bytes += mapped_bytes();
        s.resident_bytes += resident_bytes();
        s.returned_bytes += returned_bytes_;
    }

    /// Bytes that the slabs may occupy in memory now. @complexity O(slabs)
    [[nodiscard]] std::size_t resident_bytes() const noexcept {
        std::size_t bytes = 0;
        for (const slab* s = newest(); s != nullptr; s = s->older) {
            bytes += page_bytes + present_bytes(s);
        }
        return bytes;
    }

protected:
    constexpr slab_memory(const geometry& g, void* owner) noexcept : geometry_{g}, owner_{owner} {}
    ~slab_memory() = default;

    void note_out(std::size_t more) noexcept {
        out_ += more;
        taken_ = true;
        if (out_ > peak_) {
            peak_ = out_;
        }
    }

    /// A slab with nothing out becomes the one to take from: a resident one before a returned one, that before a new one.
    /// Null while lending, and where there is no memory.
    [[LINN_DETAIL_COLD]] slab* open(growth may_grow) noexcept {
        slab* s = may_grow != growth::lending ? states_.take_unused() : nullptr;
        if (s != nullptr && s->where == slab::place::returned) {
            absent_bytes_ -= s->hole_bytes;
            s->hole_bytes = 0;
            if (s->kept_bytes == 0) {
                note_used(s);
            }
        }
        if (s == nullptr && may_grow == growth::allowed) {
            s = map_slab(use::now);
        }
        if (s != nullptr) {
            states_.make_available(s);
        }
        return s;
    }

    /// Keeps a pointer that never came from a pool from crashing the check that would report it. The bounds are exact enough in
    /// release builds: heap and stack lie far from the slabs. Beyond them the system is asked, and bounds are kept of the slabs of
    /// others that it knew: their objects come in any order, and each question is a system call.
    [[nodiscard]] bool may_read(const slab* s) noexcept {
        const bool within = headers_.has(s) && (!checked_build || find(s) != nullptr);
        return within || (!checked_build && others_.has(s)) || can_read(s);
    }

    geometry geometry_;
    void* owner_;
    slab_range headers_; ///< of its own slabs; unmapped ones included
    slab_states states_;
    std::size_t out_ = 0;          ///< slots taken and not given back
    std::size_t absent_bytes_ = 0; ///< sum of the slabs' hole_bytes

private:
    enum class use : unsigned char { now, later };
    /// A new slab. The last one below max_bytes is as large as the rest allows. Null, and
    /// `take_news().why` says why, when there is no room or no memory.
    [[LINN_DETAIL_COLD]] slab* map_slab(use next_use) noexcept {
        const geometry& g = geometry_;
        const std::size_t room = g.max_bytes - mapped_bytes_;
        if (room < smallest_slab_bytes(g)) {
            note(shortage::limit);
            return nullptr;
        }
        std::size_t bytes = next_slab_bytes();
        bytes = bytes < room ? bytes : room;
        void* memory = Pages::map(bytes, g.slab_align);
        if (memory == nullptr && bytes > g.first_slab_bytes) {
            bytes = g.first_slab_bytes; // a small slab may still fit
            memory = Pages::map(bytes, g.slab_align);
        }
        if (memory == nullptr) {
            note(shortage::memory);
            return nullptr;
        }
        // A page of 2 MiB is little of a pool this large, and saves page faults and misses of the TLB. Before
        // the header is written: a huge page must be the first. Not for a reserve, which promises to touch next to nothing.
        constexpr std::size_t large_pool = std::size_t{64} << 20;
        const bool huge = g.huge_pages || (next_use == use::now && mapped_bytes_ >= large_pool);
        if (huge) {
            Pages::prefer_huge(memory, bytes);
        }
        slab* s = add_slab(memory, bytes); // `smallest_slab_bytes` hold one slot
        s->huge = huge;
        note_used(s);
        return s;
    }

    /// Makes a slab of that memory. Null when not even one slot fits.
    slab* add_slab(void* memory, std::size_t bytes) noexcept {
        slab* s = slab::construct(memory, bytes, geometry_, owner_, next_colour(), Pages::zeroed);
        if (s != nullptr) {
            add(s);
        }
        return s;
    }

    void add(slab* s) noexcept {
        headers_.include(s);
        all_.push_front(s);
        ++count_;
        mapped_bytes_ += s->mapped_bytes;
    }

    /// `s` is mapped, or its memory comes back.
    void note_used(const slab* s) noexcept {
        ++news_.slabs;
        news_.bytes += s->mapped_bytes;
    }

    /// Notes in `leaving` pages of `s` that no slot is on and that did not go back yet, and takes `s` away.
    /// @pre it is available or empty
    /// @returns whether there are any
    [[LINN_DETAIL_COLD]] bool cold_runs(slab* s, cold_pages& leaving) noexcept {
        if (s->is_unused()) {
            s->reset();
            leaving.whole = true;
            leaving.add(s->returnable_begin(), s->returnable_bytes());
        } else {
            const bool guarded = Guards && geometry_.guarded();
            s->find_free_pages(leaving, guarded ? guard_fence_bytes : 0);
            // Now, so that it holds in a child that is forked before `put_cold`. Behind `carved` no slot is looked at again.
            for (std::size_t i = 0; guarded && i + (leaving.tail_bytes != 0 ? 1 : 0) < leaving.runs; ++i) {
                forget_slot_at(geometry_, s, leaving.run[i].begin + leaving.run[i].bytes);
            }
        }
        if (leaving.runs == 0) {
            return false;
        }
        leaving.of = s;
        s->small_pages = s->huge; // now, for a child that is forked before `put_cold`
        states_.take_away(s);
        return true;
    }

    /// No page of `s` but the first is in memory now. @param bytes that were
    void note_all_absent(slab* s, std::size_t bytes) noexcept {
        note_absent(s, s->mapped_bytes, bytes);
        s->kept_bytes = 0;
        s->touched = 0;
    }

    /// Of `s`, `hole_bytes` are with the system now, `bytes` of them since now.
    void note_absent(slab* s, std::size_t hole_bytes, std::size_t bytes) noexcept {
        absent_bytes_ += hole_bytes - s->hole_bytes;
        s->hole_bytes = hole_bytes;
        returned_bytes_ += bytes;
    }

    [[LINN_DETAIL_COLD]] void note_partly_absent(slab* s, const cold_pages& leaving,
                                                 std::size_t bytes) noexcept {
        std::size_t asked = 0;
        for (std::size_t i = 0; i != leaving.runs; ++i) {
            asked += leaving.run[i].bytes;
        }
        s->refused = bytes != asked;
        s->kept_bytes = bytes != 0 ? 0 : s->kept_bytes;
        if (leaving.tail_bytes != 0 && bytes >= leaving.tail_bytes) {
            s->touched = static_cast<std::uint32_t>(s->carved);
            returned_bytes_ += leaving.tail_bytes;
            bytes -= leaving.tail_bytes;
        }
        s->pass_bytes += bytes; // a part of it went back in an earlier pass
        if (s->pass_bytes > s->hole_bytes) {
            note_absent(s, s->pass_bytes, s->pass_bytes - s->hole_bytes);
        }
    }

    [[LINN_DETAIL_COLD]] void forget(slab* s) noexcept {
        if (sweep_at_ == s) {
            sweep_at_ = s->older;
        }
        if (trim_at_ == s) {
            trim_at_ = s->older;
        }
        all_.remove(s);
        mapped_bytes_ -= s->mapped_bytes;
        absent_bytes_ -= s->hole_bytes;
        if (--count_ == 0) {
            headers_ = {}; // the addresses may be anyone's now
        }
    }

    /// What of `s` may be in memory besides its first page: what was touched, or all of it where the program locks what it
    /// maps, as the last page shows. The unused rest of a small slab is not worth the system call.
    [[LINN_DETAIL_COLD]] static std::size_t present_bytes(const slab* s) noexcept {
        constexpr std::size_t few_bytes = std::size_t{64} << 10;
        if constexpr (requires { Pages::is_resident(s); }) {
            if (s->kept_bytes == 0 && s->touched_end() + few_bytes < s->mapped_bytes &&
                Pages::is_resident(reinterpret_cast<const std::byte*>(s) + s->mapped_bytes - page_bytes)) {
                return s->returnable_bytes();
            }
        }
        return s->touched_bytes();
    }

    /// Asks the system to take the pages of a slab that were returned, or never used, and are in memory all the same: it
    /// refused once, or the program locks what it maps.
    void discard_kept(slab* s) noexcept {
        const std::size_t bytes = present_bytes(s);
        const bool locked = s->kept_bytes != 0 || bytes != s->touched_bytes();
        const bool here = s->where == slab::place::returned || s->where == slab::place::available;
        if (here && locked && Pages::discard(s->returnable_begin(), s->returnable_bytes())) {
            note_all_absent(s, bytes);
        }
    }

    [[LINN_DETAIL_COLD]] bool can_read(const slab* s) noexcept {
        if (!Pages::readable(s) || !slab::seems_to_start_at(s)) {
            return false;
        }
        others_.include(s);
        return true;
    }

    /// Spreads slabs and pools over the cache sets. @source Bonwick: The slab allocator, 1994, 4.1
    std::size_t next_colour() noexcept {
        const auto seed = reinterpret_cast<std::uintptr_t>(this) / cache_line_bytes;
        return (seed * 7 + count_ * 11) % cache_line_bytes;
    }

    static constexpr std::uint64_t retain_ms = 1000; ///< unchanged for so long, a slab is cold
    static constexpr std::uint64_t sweep_ms = 250;   ///< at most so often all slabs are looked at
    static constexpr std::size_t sweep_slabs = 16;   ///< looked at in a visit
    static constexpr std::size_t few_slabs = 4;      ///< looked at for an empty one

    linked_list<slab, &slab::older, &slab::newer> all_; ///< newest first
    slab_range others_;                                 ///< of the slabs of others that it has seen
    std::size_t count_ = 0;
    std::size_t mapped_bytes_ = 0;
    slab_news news_;
    std::size_t peak_ = 0; ///< highest `out_`
    std::size_t returned_bytes_ = 0;
    slab* sweep_at_ = nullptr;    ///< the next slab to look at; null: all were
    slab* trim_at_ = nullptr;     ///< the next one of `trim_next`
    std::uint64_t swept_ms_ = 0;  ///< when the last sweep began
    std::uint64_t visit_ms_ = 0;  ///< the last visit of `take_cold`
    std::uint64_t before_ms_ = 0; ///< when a slab that differs now changed at the latest
    bool taken_ = false;          ///< slots were, since that visit
};

} // namespace linn::inline LINN_ABI::detail

#endif
